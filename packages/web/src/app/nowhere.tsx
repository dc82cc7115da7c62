import { Empty } from '../ui/empty.js';
import { Link } from './router.js';

export function Nowhere() {
  return (
    <Empty title="There is nothing here">
      The address leads nowhere.{' '}
      <Link to="/" className="text-accent underline">
        Back to the channels
      </Link>
    </Empty>
  );
}

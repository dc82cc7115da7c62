import { Icon } from '../ui/icon.js';
import { Link } from './router.js';

/** On a narrow screen, where the channels are not seen beside what is open. */
export function BackLink() {
  return (
    <Link
      to="/"
      aria-label="Back to the channels"
      className="-ml-1 flex size-8 items-center justify-center rounded-md hover:bg-hover wide:hidden"
    >
      <Icon name="back" />
    </Link>
  );
}

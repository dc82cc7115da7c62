import { isMissing } from '../data/failures.js';
import { Empty } from '../ui/empty.js';
import { Link } from './router.js';

interface CannotShowProps {
  /** As one says it: `session`, `message`, `channel`. */
  readonly what: string;
  readonly error: Error;
  /** Where else one can go. */
  readonly back?: { readonly to: string; readonly label: string };
}

/** Instead of what an address names: that there is no such thing, or why it is not shown; and a way back. */
export function CannotShow({ what, error, back }: CannotShowProps) {
  const { to, label } = back ?? { to: '/', label: 'Back to the channels' };
  return (
    <Empty title={isMissing(error) ? `There is no such ${what}` : `This ${what} cannot be shown`}>
      <p className="mb-2">
        {isMissing(error) ? 'It was deleted, or the address is wrong.' : error.message}
      </p>
      <Link to={to} className="text-accent underline">
        {label}
      </Link>
    </Empty>
  );
}

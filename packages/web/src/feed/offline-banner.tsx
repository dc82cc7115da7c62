import { useConnection } from '../data/live.js';

interface OfflineBannerProps {
  /** What happens to actions in the meantime. */
  readonly meanwhile?: string;
}

/** Says that what is seen may be old, and that nothing written is lost. */
export function OfflineBanner({
  meanwhile = 'Your messages are saved and sent when it is back.',
}: OfflineBannerProps) {
  if (useConnection() !== 'reconnecting') return null;
  return (
    <p role="alert" className="border-b border-line bg-warn-wash px-4 py-1.5 text-[13px] text-warn">
      The daemon does not answer. {meanwhile}
    </p>
  );
}

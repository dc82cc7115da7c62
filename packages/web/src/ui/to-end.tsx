import { Icon } from './icon.js';

/** Button in the corner that scrolls to the end of growing content. */
export function ToEnd({ onClick }: { readonly onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="absolute right-4 bottom-3 flex items-center gap-1 rounded-full border border-line bg-raised px-2.5 py-1 text-xs shadow-raised hover:bg-hover"
    >
      <Icon name="down" className="size-3" />
      Jump to the end
    </button>
  );
}

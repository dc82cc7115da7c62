import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';

export function JumpToEnd({ onClick }: { readonly onClick: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
      <Button onClick={onClick} className="pointer-events-auto rounded-full shadow-raised">
        <Icon name="down" />
        Newest
      </Button>
    </div>
  );
}

import { Dialog } from '../ui/dialog.js';
import { useShortcuts } from './registry.js';
import { isMac } from './use-keyboard.js';

export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const shortcuts = useShortcuts();
  const groups = [...new Set(shortcuts.map(({ group }) => group))];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {groups.map((group) => (
        <section key={group} className="mb-4 last:mb-0">
          <h3 className="mb-1 text-xs font-semibold text-faint">{group}</h3>
          <dl className="grid grid-cols-[1fr_auto] gap-y-1 text-[13px]">
            {shortcuts
              .filter((each) => each.group === group)
              .map(({ keys, does }) => (
                <div key={keys} className="contents">
                  <dt>{does}</dt>
                  <dd className="text-right">
                    <kbd className="rounded border border-line bg-panel px-1.5 py-0.5 font-mono text-xs">
                      {shown(keys)}
                    </kbd>
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

const ARROWS = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' };

function shown(keys: string): string {
  let text = keys.replace('Mod', isMac ? '⌘' : 'Ctrl');
  for (const [name, sign] of Object.entries(ARROWS)) text = text.replace(name, sign);
  return text;
}

import { chooseTheme, type Theme, useTheme } from '../app/theme.js';
import { Section } from './section.js';

const THEMES: readonly { readonly theme: Theme; readonly label: string; readonly about: string }[] =
  [
    { theme: 'system', label: 'System', about: 'Follows the setting of this device.' },
    { theme: 'light', label: 'Light', about: 'Dark text on a light background.' },
    { theme: 'dark', label: 'Dark', about: 'Light text on a dark background.' },
  ];

export function AppearanceSection() {
  const chosen = useTheme();
  return (
    <Section title="Appearance" about="Saved in this browser.">
      <fieldset className="grid gap-2 wide:grid-cols-3">
        <legend className="sr-only">Colours</legend>
        {THEMES.map(({ theme, label, about }) => (
          <label
            key={theme}
            className="flex cursor-pointer gap-2.5 rounded-lg border border-line p-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-wash"
          >
            <input
              type="radio"
              name="theme"
              className="mt-0.5 accent-accent"
              checked={chosen === theme}
              onChange={() => chooseTheme(theme)}
            />
            <span>
              <span className="block text-[13px] font-medium">{label}</span>
              <span className="block text-xs text-soft">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Section>
  );
}

/** Drawn on a grid of 16 with lines of 1.5, in the colour of the text around them. */
const PATHS = {
  attach:
    'm13 7.5-5.2 5.2a3.2 3.2 0 0 1-4.5-4.5l5.5-5.5a2.1 2.1 0 0 1 3 3l-5.3 5.3a1 1 0 0 1-1.5-1.5l4.8-4.8',
  back: 'M10 3 5 8l5 5',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5V5m5-2.5V5',
  chart: 'M2.5 13.5h11M4.5 11V8m3.5 3V3.5M11.5 11V6',
  check: 'm3 8.5 3.2 3L13 4.5',
  chevron: 'm4 6 4 4 4-4',
  close: 'm4 4 8 8m0-8-8 8',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  down: 'M8 3v10m-4-4 4 4 4-4',
  edit: 'M3 13l.6-2.8 7.2-7.2 2.2 2.2-7.2 7.2zM9.3 4.5l2.2 2.2',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  hash: 'M6 2.5 5 13.5m6-11-1 11M2.5 6h11m-11 4.5h11',
  link: 'M6.8 9.2a2.5 2.5 0 0 0 3.5 0l2.2-2.2a2.5 2.5 0 0 0-3.5-3.5l-.9.9M9.2 6.8a2.5 2.5 0 0 0-3.5 0L3.5 9a2.5 2.5 0 0 0 3.5 3.5l.9-.9',
  menu: 'M2.5 4.5h11m-11 3.5h11m-11 3.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  plus: 'M8 3v10M3 8h10',
  question: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M6.3 6.4a1.8 1.8 0 1 1 2.6 1.6q-.9.5-.9 1.3m0 2v.01',
  react: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M5.5 9.2a2.8 2.8 0 0 0 5 0M6 6.3v.01m4-.01v.01',
  reply: 'M7 4 3 8l4 4M3 8h6.5q4 0 4 4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9m3.3-1.2 3.2 3.2',
  send: 'M2.5 8h8m-3-4 4 4-4 4',
  settings:
    'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4M8 1.8v2m0 8.4v2M1.8 8h2m8.4 0h2M3.6 3.6 5 5m6 6 1.4 1.4m0-8.8L11 5m-6 6-1.4 1.4',
  timeline: 'M3.5 2.5v11M6.5 4.5h6m-6 3.5h4m-4 3.5h7',
  terminal: 'm3 4.5 3.5 3.5L3 11.5M8.5 12h4.5',
  theme: 'M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5',
  trash: 'M3 4.5h10m-6.5 0v-2h3v2m-5 0 .5 9h6l.5-9',
  warning: 'M8 2.5 14 13H2zM8 6.5v3m0 2v.01',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({
  name,
  className = '',
}: {
  readonly name: IconName;
  readonly className?: string;
}) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={`size-4 shrink-0 fill-none stroke-current stroke-[1.5] ${className}`}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

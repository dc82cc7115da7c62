import { type Bar, lengthOf } from './amounts.js';

/** From the bottom up: input from a cache, other input, output; the accent alone for a single part. */
const FILLS = ['fill-faint/45', 'fill-faint', 'fill-accent'] as const;

/** A length that is not known: outlined, not filled. */
const UNKNOWN =
  'fill-none stroke-faint stroke-[1.5px] [stroke-dasharray:4_3] [vector-effect:non-scaling-stroke]';

const HEIGHT = 100;
const STEP = 10;
const WIDTH = 7;
/** Even a little is to be seen. */
const LEAST = 0.8;

interface ChartProps {
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** A column for every day. The table below says the same in numbers. */
export function ColumnChart({ label, bars }: ChartProps) {
  const most = Math.max(...bars.map(lengthOf), 0);
  const highest = bars.find((bar) => lengthOf(bar) === most && most > 0);
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <figure className="m-0">
      <p className="mb-1 text-xs text-faint">
        {highest ? `highest: ${highest.value}, ${highest.label}` : ' '}
      </p>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${Math.max(bars.length, 7) * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-line"
      >
        {bars.map((bar, i) => (
          <Column key={bar.key} bar={bar} x={i * STEP + (STEP - WIDTH) / 2} most={most} />
        ))}
      </svg>
      <figcaption className="mt-1 flex justify-between text-xs text-faint">
        <span>{first?.label}</span>
        <span>{last === first ? '' : last?.label}</span>
      </figcaption>
    </figure>
  );
}

interface ColumnProps {
  readonly bar: Bar;
  readonly x: number;
  readonly most: number;
}

function Column({ bar, x, most }: ColumnProps) {
  let top = HEIGHT;
  return (
    <g>
      <title>{`${bar.label}: ${bar.value}`}</title>
      <rect x={x} y={0} width={WIDTH} height={HEIGHT} className="fill-transparent" />
      {bar.parts === undefined ? (
        <rect x={x} y={HEIGHT - 8} width={WIDTH} height={8} className={UNKNOWN} />
      ) : (
        bar.parts.map((part, i) => {
          if (part === 0 || most === 0) return null;
          const height = Math.max((part / most) * HEIGHT, LEAST);
          top -= height;
          const fill = bar.parts?.length === 1 ? 'fill-accent' : FILLS[i];
          return <rect key={fill} x={x} y={top} width={WIDTH} height={height} className={fill} />;
        })
      )}
    </g>
  );
}

/** A line for each of what has a name, the longest first. */
export function RowChart({ label, bars }: ChartProps) {
  const most = Math.max(...bars.map(lengthOf), 0);
  return (
    <ul aria-label={label} className="space-y-2">
      {bars.map((bar) => (
        <li
          key={bar.key}
          className="grid grid-cols-[minmax(0,9rem)_1fr] items-center gap-x-3 text-[13px]"
        >
          <span className="truncate" title={bar.label}>
            {bar.label}
          </span>
          <span className="flex items-center gap-2">
            <RowBar bar={bar} most={most} />
            <span className="w-28 shrink-0 text-right text-xs text-soft tabular-nums">
              {bar.value}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function RowBar({ bar, most }: { readonly bar: Bar; readonly most: number }) {
  let left = 0;
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      className="h-3 min-w-0 grow overflow-hidden rounded-sm bg-hover"
    >
      {bar.parts === undefined ? (
        <rect x={0} y={0} width={100} height={10} className={UNKNOWN} />
      ) : (
        bar.parts.map((part, i) => {
          if (part === 0 || most === 0) return null;
          const width = Math.max((part / most) * 100, LEAST);
          const x = left;
          left += width;
          const fill = bar.parts?.length === 1 ? 'fill-accent' : FILLS[i];
          return <rect key={fill} x={x} y={0} width={width} height={10} className={fill} />;
        })
      )}
    </svg>
  );
}

export function Legend() {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
      {(['input from a cache', 'other input', 'output'] as const).map((word, i) => (
        <span key={word} className="flex items-center gap-1.5">
          <svg aria-hidden="true" viewBox="0 0 10 10" className="size-2.5">
            <rect width="10" height="10" rx="2" className={FILLS[i]} />
          </svg>
          {word}
        </span>
      ))}
    </p>
  );
}

import type { Usage, UsageGrouping } from '@stoa/protocol';
import { costText, countText } from './amounts.js';

interface UsageTableProps {
  readonly by: UsageGrouping;
  readonly rows: readonly { readonly key: string; readonly label: string; readonly usage: Usage }[];
  readonly total: Usage;
  readonly currency: string | undefined;
}

const NUMBER = 'py-1.5 pl-4 text-right tabular-nums';

/** The same in numbers. */
export function UsageTable({ by, rows, total, currency }: UsageTableProps) {
  const cells = ({ modelCalls, inputTokens, cachedInputTokens, outputTokens, cost }: Usage) => (
    <>
      <td className={NUMBER}>{countText(modelCalls)}</td>
      <td className={NUMBER}>{countText(inputTokens)}</td>
      <td className={NUMBER}>{countText(cachedInputTokens)}</td>
      <td className={NUMBER}>{countText(outputTokens)}</td>
      <td className={`${NUMBER} ${cost === undefined ? 'text-soft italic' : ''}`}>
        {costText(cost, currency)}
      </td>
    </>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Usage in numbers">
      <table className="w-full min-w-md text-[13px]">
        <caption className="sr-only">Usage by {by}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-faint">
            <th scope="col" className="py-1.5 text-left font-medium capitalize">
              {by}
            </th>
            {['Calls', 'Input', 'Cached', 'Output', 'Cost'].map((name) => (
              <th key={name} scope="col" className={`${NUMBER} font-medium`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, usage }) => (
            <tr key={key} className="border-b border-line">
              <th scope="row" className="py-1.5 text-left font-normal">
                {label}
              </th>
              {cells(usage)}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th scope="row" className="py-1.5 text-left">
              Total
            </th>
            {cells(total)}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

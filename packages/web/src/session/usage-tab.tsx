import type { Usage } from '@stoa/protocol';
import { Nothing } from './nothing.js';
import { useSessionUsage } from './use-session.js';

export function UsageTab({ sessionId }: { readonly sessionId: string }) {
  const { data: report } = useSessionUsage(sessionId);
  if (!report) return null;
  const { groups, total, currency } = report;
  if (total.modelCalls === 0) return <Nothing>No model has been called yet.</Nothing>;
  const rows = [...groups, ...(groups.length > 1 ? [{ key: 'All', usage: total }] : [])] as const;
  return (
    <table className="w-full text-[13px]">
      <thead className="text-left text-xs text-faint">
        <tr>
          <th className="py-1 font-normal">Model</th>
          <th className="text-right font-normal">Calls</th>
          <th className="text-right font-normal">In</th>
          <th className="text-right font-normal">Out</th>
          <th className="text-right font-normal">Cost</th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line tabular-nums">
        {rows.map(({ key, usage }) => (
          <tr key={key}>
            <td className="max-w-32 truncate py-1.5">{key === '' ? 'not named' : key}</td>
            <td className="text-right">{usage.modelCalls.toLocaleString()}</td>
            <td className="text-right">{usage.inputTokens.toLocaleString()}</td>
            <td className="text-right">{usage.outputTokens.toLocaleString()}</td>
            <td className="text-right">{costText(usage, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function costText({ cost }: Usage, currency: string | undefined): string {
  if (cost === undefined) return '–';
  return `${cost.toFixed(cost < 1 ? 4 : 2)} ${currency ?? ''}`.trim();
}

import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { PermissionOption } from './answers.js';

type Kind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/** A permission for one call becomes a standing one only where the answer is standing itself. */
export function allowing(
  options: readonly PermissionOption[],
  isStanding: boolean,
): RequestPermissionResponse | undefined {
  const option =
    ofKind(options, 'allow_once') ?? (isStanding ? ofKind(options, 'allow_always') : undefined);
  return option && chosen(option);
}

export function rejecting(options: readonly PermissionOption[]): RequestPermissionResponse {
  const option = ofKind(options, 'reject_once') ?? ofKind(options, 'reject_always');
  return option ? chosen(option) : { outcome: { outcome: 'cancelled' } };
}

function ofKind(options: readonly PermissionOption[], kind: Kind): PermissionOption | undefined {
  return options.find((option) => option.kind === kind);
}

const chosen = ({ optionId }: PermissionOption): RequestPermissionResponse => ({
  outcome: { outcome: 'selected', optionId },
});

/** Some programs say only in an option which tool it is that they ask for. */
export function toolNamedIn(options: readonly PermissionOption[]): string | undefined {
  for (const { name } of options) {
    const [, tool] = /^Always Allow in project: (\w+)$/.exec(name ?? '') ?? [];
    if (tool !== undefined) return tool;
  }
  return undefined;
}

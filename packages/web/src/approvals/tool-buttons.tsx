import { Button } from '../ui/button.js';
import { visibleText } from '../ui/visible-text.js';

interface ToolButtonsProps {
  readonly isDisabled: boolean;
  /** The rule that "always" adds; where there is none, there is no "always". */
  readonly suggestedRule: string | undefined;
  readonly onAllow: (scope: 'once' | 'session' | 'workspace') => void;
  readonly onEdit: () => void;
  readonly onDeny: () => void;
}

export function ToolButtons({
  isDisabled,
  suggestedRule,
  onAllow,
  onEdit,
  onDeny,
}: ToolButtonsProps) {
  return (
    <>
      {suggestedRule === undefined ? null : (
        <p className="text-xs text-faint">
          “Always” allows{' '}
          <code className="font-mono break-words text-soft">{visibleText(suggestedRule)}</code>
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={isDisabled} onClick={() => onAllow('once')}>
          Allow
        </Button>
        {suggestedRule === undefined ? null : (
          <>
            <Button disabled={isDisabled} onClick={() => onAllow('session')}>
              Always in this session
            </Button>
            <Button disabled={isDisabled} onClick={() => onAllow('workspace')}>
              Always in this workspace
            </Button>
          </>
        )}
        <Button disabled={isDisabled} onClick={onEdit}>
          Edit and allow
        </Button>
        <Button look="danger" disabled={isDisabled} onClick={onDeny}>
          Deny
        </Button>
      </div>
    </>
  );
}

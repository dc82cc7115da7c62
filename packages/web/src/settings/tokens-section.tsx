import type { Credential, MintedToken } from '@stoa/protocol';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { logOut } from '../app/log-out.js';
import { client } from '../data/client.js';
import { queryClient, useMe } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { copyText } from '../ui/copy-text.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icon.js';
import { toast } from '../ui/toast.js';
import { TextField } from './fields.js';
import { FormDialog } from './form-dialog.js';
import { loginCodeIn } from './login-code.js';
import { emptyOf, type FieldProblems, problemsOf } from './problems.js';
import { Mark, Row, Rows, Section } from './section.js';
import { when } from './when.js';

interface LoginCodeFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
}

const TOKENS_KEY = ['tokens'] as const;
const KINDS = { owner_token: 'owner', human_token: 'token', browser: 'browser' } as const;

export function TokensSection() {
  const { data: me } = useMe();
  const isOwner = me?.role === 'owner';
  const { data: tokens, error } = useQuery({
    queryKey: TOKENS_KEY,
    queryFn: () => client.tokens.list(),
    enabled: isOwner,
  });
  const [isMinting, setMinting] = useState(false);
  const [minted, setMinted] = useState<MintedToken>();
  if (!isOwner) {
    return (
      <Section title="Access tokens" action={<LogOut />}>
        <p className="text-[13px] text-soft">Only the owner can see and create access tokens.</p>
      </Section>
    );
  }
  return (
    <Section
      title="Access tokens"
      about="The people and programs that may connect. The first token of a person also creates the person."
      action={<Button onClick={() => setMinting(true)}>New token</Button>}
    >
      <Rows label="Access tokens" error={tokens ? null : error}>
        {tokens
          ?.filter(({ revokedAt }) => revokedAt === undefined)
          .map((token) => (
            <TokenRow
              key={token.credentialId}
              token={token}
              isOwn={token.credentialId === me.credentialId}
            />
          ))}
      </Rows>
      {isMinting ? (
        <MintDialog
          onClose={() => setMinting(false)}
          onMinted={(made) => {
            setMinting(false);
            setMinted(made);
          }}
        />
      ) : null}
      {minted ? <SecretDialog minted={minted} onClose={() => setMinted(undefined)} /> : null}
    </Section>
  );
}

function TokenRow({ token, isOwn }: { readonly token: Credential; readonly isOwn: boolean }) {
  const { credentialId, kind, name, humanId, createdAt, expiresAt } = token;
  const [isAsked, setAsked] = useState(false);
  return (
    <Row
      title={name}
      mark={
        <>
          <Mark>{KINDS[kind]}</Mark>
          {isOwn ? <Mark look="good">this browser</Mark> : null}
        </>
      }
      about={`${humanId} · since ${when(createdAt)}${expiresAt === undefined ? '' : ` · until ${when(expiresAt)}`}`}
    >
      {isOwn && kind === 'browser' ? (
        <LogOut />
      ) : kind === 'owner_token' || isOwn ? null : (
        <Button look="quiet" aria-label={`Revoke ${name}…`} onClick={() => setAsked(true)}>
          Revoke…
        </Button>
      )}
      {isAsked ? (
        <RevokeDialog
          credentialId={credentialId}
          title={`Revoke ${name} of ${humanId}?`}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </Row>
  );
}

/** What the daemon says of a login code belongs to its field. */
const CODE_PROBLEMS = { byCode: { fresh_login_required: 'loginCode' } } as const;

interface RevokeDialogProps {
  readonly credentialId: string;
  readonly title: string;
  readonly onClose: () => void;
}

function RevokeDialog({ credentialId, title, onClose }: RevokeDialogProps) {
  const [pasted, setPasted] = useState('');
  const revoke = useMutation({
    mutationFn: () => client.tokens.revoke(credentialId, { loginCode: loginCodeIn(pasted) }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: TOKENS_KEY });
      onClose();
    },
  });
  const [missing, setMissing] = useState<FieldProblems>({});
  const refused = problemsOf(revoke.error, ['loginCode'], CODE_PROBLEMS);
  const problems = { ...refused.fields, ...missing };
  const submit = (): void => {
    revoke.reset();
    const empty = emptyOf({ loginCode: loginCodeIn(pasted) });
    setMissing(empty);
    if (Object.keys(empty).length === 0) revoke.mutate();
  };
  return (
    <FormDialog
      title={title}
      deed="Revoke it"
      look="danger"
      isDisabled={revoke.isPending}
      problems={{ ...refused, fields: problems }}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-[13px]">Its next request fails, and its live connections end.</p>
      <LoginCodeField value={pasted} onChange={setPasted} problem={problems['loginCode']} />
    </FormDialog>
  );
}

interface MintDialogProps {
  readonly onClose: () => void;
  readonly onMinted: (minted: MintedToken) => void;
}

const AN_ID = 'Lowercase letters, digits, dots and dashes, such as ada.';
/** Whether it can be one, so that all fields are marked at once; what it has to be exactly the daemon knows. */
const isId = (text: string): boolean => /^[a-z0-9._-]+$/.test(text);

function MintDialog({ onClose, onMinted }: MintDialogProps) {
  const [humanId, setHumanId] = useState('');
  const [name, setName] = useState('');
  const [pasted, setPasted] = useState('');
  const mint = useMutation({
    mutationFn: () =>
      client.tokens.mint({ humanId: humanId.trim(), name }, { loginCode: loginCodeIn(pasted) }),
    onSuccess: (minted) => {
      void queryClient.invalidateQueries({ queryKey: TOKENS_KEY });
      onMinted(minted);
    },
  });
  const [missing, setMissing] = useState<FieldProblems>({});
  const refused = problemsOf(mint.error, ['humanId', 'name', 'loginCode'], {
    written: { humanId: AN_ID },
    ...CODE_PROBLEMS,
  });
  const problems = { ...refused.fields, ...missing };
  const submit = (): void => {
    mint.reset();
    const written = { name, loginCode: loginCodeIn(pasted) };
    const empty = { ...emptyOf(written), ...(isId(humanId.trim()) ? {} : { humanId: AN_ID }) };
    setMissing(empty);
    if (Object.keys(empty).length === 0) mint.mutate();
  };
  return (
    <FormDialog
      title="New access token"
      deed="Create token"
      isDisabled={mint.isPending}
      problems={{ ...refused, fields: problems }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Person"
        hint="A short lowercase id, such as ada. A token for owner acts as the owner."
        isCode
        value={humanId}
        onChange={setHumanId}
        problem={problems['humanId']}
      />
      <TextField
        label="Name of the token"
        hint="Where it will be used, such as laptop."
        value={name}
        onChange={setName}
        problem={problems['name']}
      />
      <LoginCodeField value={pasted} onChange={setPasted} problem={problems['loginCode']} />
    </FormDialog>
  );
}

interface SecretDialogProps {
  readonly minted: MintedToken;
  readonly onClose: () => void;
}

function SecretDialog({ minted: { token, credential }, onClose }: SecretDialogProps) {
  const { data: me } = useMe();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await copyText(token);
      setCopied(true);
    } catch (error) {
      toast.problem(error);
    }
  };
  return (
    <Dialog
      title={`Token of ${credential.humanId}`}
      isKept
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      <p className="mb-3 text-[13px]">
        It is shown only once. If you lose it, revoke it and create another one.{' '}
        {`human:${credential.humanId}` === me?.actorId
          ? 'Set'
          : `Give it to ${credential.humanId}, who sets`}{' '}
        it as <code className="font-mono">STOA_TOKEN</code> for the commands of{' '}
        <code className="font-mono">stoa</code>; then <code className="font-mono">stoa login</code>{' '}
        prints a link that opens this page.
      </p>
      <div className="flex items-center gap-2 rounded-md bg-code p-2">
        <code
          aria-label="The token"
          className="min-w-0 grow font-mono text-xs break-all select-all"
        >
          {token}
        </code>
        <Button onClick={() => void copy()}>
          <Icon name={copied ? 'check' : 'copy'} />
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </Dialog>
  );
}

function LogOut() {
  const leave = useMutation({ mutationFn: logOut, onError: toast.problem });
  return (
    <Button disabled={leave.isPending} onClick={() => leave.mutate()}>
      Log out
    </Button>
  );
}

/** Makes sure that a person is there who can run commands, and not only a page that is open. */
function LoginCodeField(props: LoginCodeFieldProps) {
  return (
    <TextField
      {...props}
      label="Login link"
      hint={
        <>
          Run <code className="rounded bg-code px-1 font-mono">stoa login</code> and paste the link
          it prints. This proves that it is you. The link works only once.
        </>
      }
      isCode
    />
  );
}

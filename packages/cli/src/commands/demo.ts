import { leaseHolders, StoaProblem } from '@stoa/client';
import type { ErrorCode, Member } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { type Cast, castFor, dismiss, findResidents } from '../demo/cast.js';
import { Pace } from '../demo/pace.js';
import { handOverIn, Play } from '../demo/play.js';
import { PLUG_IN, SCENES } from '../demo/scenes.js';
import { StageView } from '../demo/stage-view.js';
import { startTemporaryDaemon, type TemporaryDaemon } from '../demo/temporary-daemon.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { UsageError } from '../failure.js';
import { decisionText } from '../terminal/decision-text.js';

export interface DemoOptions extends GlobalFlags {
  readonly fast?: boolean;
}

/** Nobody waits longer for the next thing to happen. */
const SILENCE_MS = 120_000;

/**
 * A conversation with the scripted residents, through a real daemon: the one that runs, in a channel
 * made for it, or one of its own that is gone afterwards.
 */
export async function demo(
  context: Context,
  _args: readonly string[],
  { fast = false }: DemoOptions,
): Promise<ExitCode> {
  if (context.flags.json) throw new UsageError('stoa demo has no JSON output', 'omit --json');
  const interrupted = new AbortController();
  const forget = context.io.onInterrupt(() => interrupted.abort());
  // What was made for it is put away as after Ctrl-C, but that somebody has seen enough is no failure.
  const unread = new Error('the output is closed');
  context.io.outliveReaders(() => interrupted.abort(unread));
  const { signal } = interrupted;
  let own: TemporaryDaemon | undefined;
  let stage = context;
  try {
    let residents = await residentsHere(context);
    if (!residents) {
      context.say('starting a temporary daemon for the demonstration');
      own = await startTemporaryDaemon(context.io.env, signal);
      stage = context.at({ url: own.url, token: own.token });
      residents = await findResidents(stage.client);
    }
    if (!residents) throw new Error('there are no residents in the lobby');
    await perform(stage, residents, new Pace(fast, signal), signal, own !== undefined);
    return EXIT.ok;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (signal.reason === unread) return EXIT.ok;
    context.say('the demonstration was interrupted');
    return EXIT.cancelled;
  } finally {
    if (stage !== context) stage.close();
    await own?.end();
    forget();
  }
}

const NOT_OURS: ReadonlySet<ErrorCode> = new Set([
  'daemon_unreachable',
  'daemon_not_proven',
  'unauthenticated',
]);

/** A daemon that was named must be there; else one that is not there, or not ours, is done without. */
async function residentsHere(context: Context): Promise<readonly Member[] | undefined> {
  try {
    return await findResidents(context.client);
  } catch (error) {
    const { urlFrom } = context.located;
    const isNamed = urlFrom === '--url' || urlFrom === 'STOA_URL';
    if (isNamed || !(error instanceof StoaProblem)) throw error;
    if (NOT_OURS.has(error.code)) return undefined;
    throw error;
  }
}

async function perform(
  context: Context,
  residents: readonly Member[],
  pace: Pace,
  signal: AbortSignal,
  isTemporary: boolean,
): Promise<void> {
  const { client, io } = context;
  const channelId = `demo-${io.now().toString(36)}`;
  const cast = await castFor(client, residents, channelId);
  const view = new StageView(
    context,
    pace,
    cast.members.map(({ displayName }) => displayName),
  );
  const names = cast.members.map(({ displayName }) => displayName).join(', ');
  try {
    view.text(
      `${context.paint.bold('Stoa: a two-minute conversation.')} ${names} are scripts; no model is called. ` +
        'The daemon decides who speaks, as with any agent.',
    );
    await pace.wait(4_000);
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS * SCENES.length);
    try {
      const root = await playAll(
        context,
        cast,
        view,
        pace,
        AbortSignal.any([signal, silence.signal]),
      );
      signal.throwIfAborted();
      await explain(context, cast, view, root);
    } finally {
      clearTimeout(timer);
      view.clear();
    }
    await pace.wait(4_000);
    view.title('These were scripts. With one line you can add');
    for (const [what, line] of PLUG_IN) context.line(`${context.paint.cyan(what)}\n  ${line}`);
    context.line(
      context.paint.dim(
        isTemporary
          ? '\nnpm start creates a lobby with these three; talk to them: stoa send lobby "hello"'
          : `\nRead it again: stoa history ${channelId}. Talk to the three in the lobby: stoa send lobby "hello"`,
      ),
    );
  } finally {
    if (!isTemporary) await dismiss(client, cast);
  }
}

/** The message whose scene is explained. */
async function playAll(
  { client }: Context,
  cast: Cast,
  view: StageView,
  pace: Pace,
  signal: AbortSignal,
): Promise<string> {
  const { channelId } = cast;
  const { headSeq } = await client.channels.get(channelId);
  const topic = `channel:${channelId}` as const;
  const items = client.follow(topic, { after: headSeq, drafts: true, signal });
  const play = new Play(client, cast, view, pace, items);
  let explained = '';
  try {
    for (const scene of SCENES) {
      const root = await play.scene(scene);
      if (scene.isExplained) explained = root;
      await pace.wait(2_500);
    }
  } finally {
    await items.return?.();
  }
  return explained;
}

async function explain(
  context: Context,
  { channelId, members }: Cast,
  view: StageView,
  root: string,
): Promise<void> {
  const { client, paint, io } = context;
  const decision = await handOverIn(client, channelId, root);
  if (!decision) return;
  view.title('Why did only the builder speak? stoa why explains every decision');
  const { decisions } = await client.turns.decisions(channelId, root);
  context.line(
    decisionText(decision, {
      paint,
      now: io.now(),
      width: io.columns,
      names: new Map(members.map(({ memberId, displayName }) => [memberId, displayName])),
      holders: leaseHolders(decisions),
    }),
  );
}

import { methods, RequestError } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { AcpFailure } from './acp-failure.js';
import type { AgentProcess } from './agent-process.js';
import type { SessionSettings } from './answers.js';

/** What programs call the mode in which they ask, where no preset says it. */
const ASKING = ['default', 'ask', 'manual', 'read-only', 'build'];
const ACTING = /yolo|bypass|full[-_]?access|auto|accept|dont[-_]?ask|danger/i;

/**
 * Makes a session of an agent program ask before it acts, whatever it was set to. Returns the mode, where
 * there are modes. Throws AcpFailure when it cannot be made to.
 */
export async function setAskingMode(
  process: AgentProcess,
  sessionId: string,
  { modes, configOptions }: SessionSettings,
  milliseconds: number,
): Promise<string | undefined> {
  const { program, calls } = process;
  const option = selectOf(configOptions, 'mode');
  const offered = modes?.availableModes.map(({ id }) => id) ?? option?.values ?? [];
  const current = modes?.currentModeId ?? option?.current;
  const wanted = [program.askingMode, ...ASKING].find(
    (mode) => mode !== undefined && offered.includes(mode),
  );
  if (wanted === undefined) {
    if (current === undefined || !ACTING.test(current)) return current;
    const words = `${program.name} is in its mode ${current}, and offers none in which it asks`;
    throw new AcpFailure('acp_mode_unavailable', words);
  }
  if (current === wanted) return wanted;
  try {
    if (modes) {
      const request = { sessionId, modeId: wanted };
      await calls.within(milliseconds, z.unknown(), methods.agent.session.setMode, request);
    } else if (option) {
      const request = { sessionId, configId: option.id, value: wanted };
      await calls.within(milliseconds, z.unknown(), methods.agent.session.setConfigOption, request);
    }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const words = `${program.name} does not go into its mode ${wanted}: ${error.message}`;
    throw new AcpFailure('acp_mode_unavailable', words);
  }
  return wanted;
}

/** Chooses the model, where the program lets its sessions do so. Throws AcpFailure when it refuses. */
export async function setModel(
  process: AgentProcess,
  sessionId: string,
  { configOptions }: SessionSettings,
  milliseconds: number,
): Promise<void> {
  const { program, calls } = process;
  const model = program.sessionModel;
  if (model === undefined) return;
  const option = selectOf(configOptions, 'model');
  if (!option?.values.includes(model)) {
    const there = option ? `; there are: ${option.values.join(', ')}` : '';
    const hint = 'Name another as driver.model: stoa agent put AGENT FILE';
    throw new AcpFailure('acp_no_model', `${program.name} has no model ${model}. ${hint}${there}`);
  }
  if (option.current === model) return;
  const request = { sessionId, configId: option.id, value: model };
  await calls.within(milliseconds, z.unknown(), methods.agent.session.setConfigOption, request);
}

function selectOf(options: SessionSettings['configOptions'], category: string) {
  const option = options?.find((one) => one.category === category && one.options !== undefined);
  if (!option) return undefined;
  const current = typeof option.currentValue === 'string' ? option.currentValue : undefined;
  return { id: option.id, current, values: option.options ?? [] };
}

import { z } from 'zod';
import * as schemas from '../schemas.js';
import { paramNames, type Route, type SchemaName } from './route.js';

/** The schemas of a route, by the names in its entry. */
export interface RouteSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer?: z.ZodType;
}

/** What a path parameter is wherever a route does not say otherwise. */
const PARAMS: Readonly<Record<string, z.ZodType>> = {
  agentId: schemas.AgentId,
  approvalId: schemas.ApprovalId,
  assetId: schemas.AssetId,
  boardId: schemas.BoardId,
  channelId: schemas.ChannelId,
  credentialId: schemas.CredentialId,
  file: schemas.PathSegment,
  itemId: schemas.InboxItemId,
  memberId: schemas.MemberId,
  memoryId: schemas.MemoryId,
  messageId: schemas.MessageId,
  name: schemas.MemoryFileName,
  noteId: schemas.NoteId,
  projectId: schemas.ProjectId,
  runId: schemas.RunId,
  scheduleId: schemas.ScheduleId,
  sessionId: schemas.SessionId,
  sourceId: schemas.ObservationSourceId,
  stimulusId: schemas.StimulusId,
  taskId: schemas.TaskId,
  topic: schemas.TopicName,
};

export function schemasOf(route: Route): RouteSchemas {
  const { query, headers, body, answer } = route;
  const names = paramNames(route.path);
  return {
    ...(names.length > 0 && {
      params: z.strictObject(Object.fromEntries(names.map((name) => [name, param(route, name)]))),
    }),
    ...(query && { query: objectNamed(query) }),
    ...(headers && { headers: objectNamed(headers) }),
    ...(body && body !== 'bytes' && { body: named(body) }),
    ...(answer && { answer: named(answer) }),
  };
}

/** A page is shown for any id: it says itself what does not exist. */
function param({ path, carries, params }: Route, name: string): z.ZodType {
  const own = params?.[name];
  if (own) return named(own);
  const schema = carries === 'page' ? schemas.PathSegment : PARAMS[name];
  if (!schema) throw new Error(`The parameter ${name} of ${path} has no schema`);
  return schema;
}

const named = (name: SchemaName): z.ZodType => schemas[name];

function objectNamed(name: SchemaName): z.ZodObject {
  const schema = schemas[name];
  if (!(schema instanceof z.ZodObject)) throw new Error(`${name} has no fields`);
  return schema;
}

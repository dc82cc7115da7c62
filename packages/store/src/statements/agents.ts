import { statement } from '../sql/statement.js';

export interface AgentRow {
  agentId: string;
  definition: string;
  createdBy: string;
  updatedAt: number;
}

export const findAgent = statement<{ agentId: string }, AgentRow>(
  `SELECT * FROM "agents" WHERE "agentId" = :agentId`,
);

export const listAgents = statement<object, AgentRow>(`SELECT * FROM "agents" ORDER BY "agentId"`);

export const countAgents = statement<object, { count: number }>(
  `SELECT count(*) AS "count" FROM "agents"`,
);

export const putAgent = statement<AgentRow>(
  `INSERT INTO "agents" ("agentId", "definition", "createdBy", "updatedAt")
   VALUES (:agentId, :definition, :createdBy, :updatedAt)
   ON CONFLICT ("agentId") DO UPDATE SET "definition" = excluded."definition",
     "createdBy" = excluded."createdBy", "updatedAt" = excluded."updatedAt"`,
);

/** Changes nothing if the agent exists. */
export const insertAgent = statement<AgentRow>(
  `INSERT INTO "agents" ("agentId", "definition", "createdBy", "updatedAt")
   VALUES (:agentId, :definition, :createdBy, :updatedAt)
   ON CONFLICT ("agentId") DO NOTHING`,
);

export const deleteAgent = statement<{ agentId: string }>(
  `DELETE FROM "agents" WHERE "agentId" = :agentId`,
);

export const listNicknames = statement<object, { agentId: string; nickname: string }>(
  `SELECT * FROM "nicknames" ORDER BY "agentId"`,
);

export const putNickname = statement<{ agentId: string; nickname: string }>(
  `INSERT INTO "nicknames" ("agentId", "nickname") VALUES (:agentId, :nickname)
   ON CONFLICT ("agentId") DO UPDATE SET "nickname" = excluded."nickname"`,
);

export const deleteNickname = statement<{ agentId: string }>(
  `DELETE FROM "nicknames" WHERE "agentId" = :agentId`,
);

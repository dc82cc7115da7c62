import type { z } from 'zod';

export type JsonValue = z.core.util.JSONType;

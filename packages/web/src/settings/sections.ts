/** The pages of the settings, in their order. */
export const SECTIONS = [
  { section: 'agents', label: 'Agents' },
  { section: 'channels', label: 'Channels' },
  { section: 'schedules', label: 'Schedules' },
  { section: 'mcp', label: 'MCP servers' },
  { section: 'tokens', label: 'Access tokens' },
  { section: 'appearance', label: 'Appearance' },
] as const;

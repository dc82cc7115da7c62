/** The modules of the domain, one for each noun. Their order follows from what they need. */

export { access } from './access/module.js';
export { agents } from './agents/module.js';
export { approvals } from './approvals/module.js';
export { assets } from './assets/module.js';
export { boards } from './boards/module.js';
export { channels } from './channels/module.js';
export { dreams } from './dreams/module.js';
export { inbox } from './inbox/module.js';
export { mailbox } from './mailbox/module.js';
export { memory } from './memory/module.js';
export { observations } from './observations/module.js';
export { projects } from './projects/module.js';
export { recovery } from './recovery/module.js';
export { runActions } from './run-actions/module.js';
export { runs } from './runs/module.js';
export { schedules } from './schedules/module.js';
export { sessions } from './sessions/module.js';
export { stimuli } from './stimuli/module.js';
export { subagents } from './subagents/module.js';
export { tasks } from './tasks/module.js';
export { turns } from './turns/module.js';
export { work } from './work/module.js';

/** The handlers of each noun's routes. */

export * from './http/noun-handlers.js';

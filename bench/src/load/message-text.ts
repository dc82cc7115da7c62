/** What a person might write: some twenty words. */
export const MESSAGE_TEXT =
  'The deployment of the billing service went through at noon; latency is back to normal, and ' +
  'nobody has seen the error again since.';

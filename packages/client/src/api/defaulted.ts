/** A body as a caller writes it: the daemon fills in what the contract has a default for. */
export type Defaulted<B, K extends keyof B> = Omit<B, K> & Partial<Pick<B, K>>;

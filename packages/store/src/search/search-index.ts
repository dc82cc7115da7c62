export interface SearchRequest {
  readonly text: string;
  readonly topicId?: number;
  readonly limit: number;
}

export interface SearchMatch {
  readonly topicId: number;
  /** The sequence of the event that posted the message. */
  readonly seq: number;
}

/**
 * A rebuildable projection beside the store. Indexing a post costs more than posting it, so a worker follows the logs
 * with a watermark per topic. Committed messages are found immediately nevertheless: a query also scans the tail
 * after the watermark.
 */
export interface SearchIndex {
  /** Newest first. */
  search(request: SearchRequest): Promise<SearchMatch[]>;
  /**
   * A hint that a topic has grown, given before the writer gets its answer. A lost hint delays indexing and, on
   * SQLite, queries over all topics by some seconds at most.
   */
  hint(topicId: number): void;
  /** Resolves when everything that was committed before the call is indexed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

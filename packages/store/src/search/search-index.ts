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
 * A rebuildable projection beside the store: indexing a post costs more than posting it, so a worker
 * follows the logs with a watermark a topic. What is committed is found at once all the same: a
 * query also scans the tail past the watermark.
 */
export interface SearchIndex {
  /** Newest first. */
  search(request: SearchRequest): Promise<SearchMatch[]>;
  /**
   * Only a hint that a topic has grown, given before whoever made it grow is answered. A lost one
   * delays, for some seconds at most, indexing and on SQLite also a query over all topics; nothing
   * is lost.
   */
  hint(topicId: number): void;
  /** Resolves when everything that was committed before the call is indexed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

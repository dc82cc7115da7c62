/** Above `HIGH` the producer must pause, below `LOW` it may continue. */
const HIGH = 2_000;
const LOW = 500;

export interface QueueHandlers {
  hold(): void;
  release(): void;
  /** The reader has left. */
  left(): void;
}

interface Reader<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: Error): void;
}

/** Pushed items as an async iterator for one reader; items before the end are still read. */
export class ItemQueue<T> implements AsyncIterableIterator<T, undefined> {
  private items: T[] = [];
  private next_ = 0;
  private readonly readers: Reader<T>[] = [];
  private end_: { readonly error: Error } | 'done' | undefined;
  private held = false;

  constructor(private readonly handlers: QueueHandlers) {}

  push(item: T): void {
    if (this.end_) return;
    const reader = this.readers.shift();
    if (reader) {
      reader.resolve({ value: item, done: false });
      return;
    }
    this.items.push(item);
    if (!this.held && this.size() >= HIGH) {
      this.held = true;
      this.handlers.hold();
    }
  }

  end(): void {
    this.finish('done');
  }

  fail(error: Error): void {
    this.finish({ error });
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.size() > 0) return Promise.resolve({ value: this.take(), done: false });
    if (this.end_ === 'done') return Promise.resolve({ value: undefined, done: true });
    if (this.end_) {
      const { error } = this.end_;
      this.end_ = 'done';
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => this.readers.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<T, undefined>> {
    if (!this.end_) {
      this.end();
      this.handlers.left();
    }
    this.items = [];
    this.next_ = 0;
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private size(): number {
    return this.items.length - this.next_;
  }

  private take(): T {
    const item = this.items[this.next_] as T;
    this.next_ += 1;
    // Shifting one by one would move the rest each time.
    if (this.next_ >= 512 || this.next_ === this.items.length) {
      this.items = this.items.slice(this.next_);
      this.next_ = 0;
    }
    if (this.held && this.size() <= LOW && !this.end_) {
      this.held = false;
      this.handlers.release();
    }
    return item;
  }

  private finish(end: { readonly error: Error } | 'done'): void {
    if (this.end_) return;
    this.end_ = end;
    for (const reader of this.readers.splice(0)) {
      if (end === 'done') reader.resolve({ value: undefined, done: true });
      else {
        reader.reject(end.error);
        this.end_ = 'done';
      }
    }
  }
}

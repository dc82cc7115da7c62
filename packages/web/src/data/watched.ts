/** A value that notifies its watchers of every change. */
export abstract class Watched<View extends object> {
  private readonly watchers = new Set<() => void>();
  private leave: (() => void) | undefined;

  protected constructor(private view_: View) {}

  /** A new object whenever anything of it has changed. */
  get view(): View {
    return this.view_;
  }

  get isWatched(): boolean {
    return this.watchers.size > 0;
  }

  /** Listens while somebody watches, and for that while only. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    this.leave ??= this.listen();
    return () => {
      this.watchers.delete(watcher);
      if (this.isWatched) return;
      this.leave?.();
      this.leave = undefined;
    };
  };

  /** Begins to hear what changes it; returns what ends that. */
  protected abstract listen(): () => void;

  protected change(change: Partial<View>): void {
    this.view_ = { ...this.view_, ...change };
    for (const watcher of [...this.watchers]) watcher();
  }
}

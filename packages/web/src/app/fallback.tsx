import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/empty.js';

interface FallbackProps {
  /** What is shown; when it is another, it is tried again. */
  readonly of: string;
  readonly children: ReactNode;
}

interface FallbackState {
  readonly failed: string | undefined;
}

/**
 * Replaces a part of the page that failed, so that the rest still works. Most often it could not be loaded: the
 * daemon has been updated since, and has the part under another name.
 */
export class Fallback extends Component<FallbackProps, FallbackState> {
  override state: FallbackState = { failed: undefined };

  static getDerivedStateFromError(): Partial<FallbackState> {
    return { failed: '' };
  }

  override componentDidCatch(): void {
    this.setState({ failed: this.props.of });
  }

  override componentDidUpdate(): void {
    const { failed } = this.state;
    if (failed !== undefined && failed !== '' && failed !== this.props.of) {
      this.setState({ failed: undefined });
    }
  }

  override render(): ReactNode {
    if (this.state.failed === undefined) return this.props.children;
    return (
      <main className="flex h-full w-full">
        <Empty title="This could not be shown">
          <p className="mb-3">
            The daemon may have been updated since this page was opened. What you have written is
            kept.
          </p>
          <Button look="primary" onClick={() => location.reload()}>
            Reload the page
          </Button>
        </Empty>
      </main>
    );
  }
}

import { Component, type ReactNode } from 'react';

interface GuardedProps {
  /** What is shown; when it is another, it is tried again. */
  readonly of: unknown;
  /** What is shown if it cannot be. */
  readonly instead: ReactNode;
  readonly children: ReactNode;
}

interface GuardedState {
  readonly of: unknown;
  readonly hasFailed: boolean;
}

/** Keeps what cannot be drawn from taking the rest of the page with it. */
export class Guarded extends Component<GuardedProps, GuardedState> {
  override state: GuardedState = { of: this.props.of, hasFailed: false };

  static getDerivedStateFromError(): Partial<GuardedState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ of }: GuardedProps, state: GuardedState): GuardedState | null {
    return of === state.of ? null : { of, hasFailed: false };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.instead : this.props.children;
  }
}

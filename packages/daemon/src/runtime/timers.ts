import type { Timers } from '@stoa/core';

export const timers: Timers = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

import { useEffect, useState } from 'react';

const SETTLED_MS = 120;

/** What was typed, once the fingers rest: nobody is asked about every letter. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

// One line about something that takes long, with the seconds it has taken so far. In a terminal
// the line is rewritten every second; elsewhere (CI, a pipe) it is repeated every 15 seconds.
// It goes to stderr: stdout belongs to the program.

export function progress(label, { after = 0 } = {}) {
  const started = performance.now();
  const isTerminal = process.stderr.isTTY === true;
  let current = label;
  let shown = false;

  const seconds = () => Math.round((performance.now() - started) / 1000);
  const show = () => {
    shown = true;
    if (isTerminal) process.stderr.write(`\r\x1b[K${current}… ${seconds()} s`);
    else process.stderr.write(`${current}… ${seconds()} s\n`);
  };
  const first = setTimeout(show, after);
  const repeated = setInterval(show, isTerminal ? 1_000 : 15_000);
  const stop = () => {
    clearTimeout(first);
    clearInterval(repeated);
    if (shown && isTerminal) process.stderr.write('\r\x1b[K');
  };

  return {
    /** What is going on now; shown at once when it is something new. */
    update(next) {
      if (next === current) return;
      current = next;
      if (shown) show();
    },
    /** Ends with a line that stays, unless the work was too short to have been announced. */
    done(result) {
      const announced = shown;
      stop();
      if (announced) process.stderr.write(`${result} in ${seconds()} s\n`);
    },
    cancel: stop,
  };
}

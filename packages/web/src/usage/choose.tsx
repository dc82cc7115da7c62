interface ChooseProps<V extends string> {
  readonly label: string;
  readonly choices: readonly { readonly value: V; readonly label: string }[];
  readonly chosen: V;
  readonly onChoose: (value: V) => void;
}

/** One of a few, all of them to be seen. */
export function Choose<V extends string>({ label, choices, chosen, onChoose }: ChooseProps<V>) {
  return (
    <div role="group" aria-label={label} className="flex rounded-md border border-line p-0.5">
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === chosen}
          onClick={() => onChoose(choice.value)}
          className="rounded px-2.5 py-0.5 text-[13px] text-soft hover:text-ink aria-pressed:bg-hover aria-pressed:font-medium aria-pressed:text-ink"
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}

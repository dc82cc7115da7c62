export function Nothing({ children }: { readonly children: string }) {
  return <p className="py-6 text-center text-[13px] text-faint">{children}</p>;
}

/** What the browser calls the page: how much is unread in all, where one is, and of what it is a part. */
export function pageTitle(where: string | undefined, unread: number): string {
  const count = unread === 0 ? '' : `(${unread > 99 ? '99+' : unread}) `;
  return `${count}${where === undefined ? '' : `${where} · `}Stoa`;
}

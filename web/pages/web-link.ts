/** Whether a text is a whole URL of http or https: the only links from outside that pages show as links. */
export function isWebLink(text: string): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url !== null && url.hostname !== '';
}

/** Copies a text. @returns whether that worked: a sandboxed page may not use the clipboard of the browser itself */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const place = document.createElement('textarea');
  place.value = text;
  place.className = 'hidden';
  place.setAttribute('aria-hidden', 'true');
  document.body.append(place);
  const focused = document.activeElement;
  place.select();
  try {
    return document.execCommand('copy');
  } finally {
    place.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}

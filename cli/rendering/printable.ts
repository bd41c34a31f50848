/**
 * Text from outside (a service, a program, a file) without the control characters that would let it write on
 * a terminal where it likes. Line ends and tabs stay.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/\u001b\[[0-9;]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

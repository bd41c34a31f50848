/** A function of a text that keeps its latest results, `most` of them: parsing again costs more than the rest. */
export function remembering<Value>(most: number, read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const value = known.get(text) ?? read(text);
    known.delete(text);
    known.set(text, value);
    if (known.size > most) known.delete(known.keys().next().value ?? '');
    return value;
  };
}

// What Pulumi's host of plugins runs (package.json, main), by require(): nothing here may await. Plain JavaScript, so that a
// Node.js that cannot read the rest says so in one line.
if (!process.features.typescript) {
  console.error(
    `The plugin of Gatehouse's components needs a Node that runs TypeScript: 22.18 or newer, with type stripping on. This is ${process.version}.`,
  );
  process.exit(1);
}
import('./index.ts');

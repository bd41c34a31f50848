// What Pulumi's host of policy packs runs (package.json, main), by require(): nothing here may await. Plain JavaScript, so
// that a Node.js that cannot read the rest says so in one line.
if (!process.features.typescript) {
  console.error(
    `This policy pack needs a Node that runs TypeScript: 22.18 or newer, with type stripping on. This is ${process.version}.`,
  );
  process.exit(1);
}
// Not required: the host has a compiler in the way of that. A failure is an unhandled rejection, which the host shows.
import('./serve.ts');

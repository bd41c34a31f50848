export { readProject } from './project-file.ts';
export { listStacks, readSealedStack, readSealedStacks, readStack, stackFilePath } from './read-stack.ts';
export { replaceFile } from './replace-file.ts';
export { requireWritable, writeSecret } from './write-secret.ts';
export { createStackFile } from './write-stack.ts';

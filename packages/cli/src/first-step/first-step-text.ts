import { shortened } from '@gatehouse/core/values';
import { shellWord } from '../terminal/shell-word.ts';
import { oneLine } from '../terminal/style.ts';
import type { FirstStep } from './first-step.ts';

/** Stacks that are named. */
const mostNamed = 5;

/** What to do first, in a few lines with commands that can be pasted. */
export function firstStepText(step: FirstStep): string {
  const { says, commands } = suggestion(step);
  const lines = commands.map(([command, does]) => `  $ ${command}\n      ${does}`);
  return `${[says, ...lines, '', 'gatehouse --help lists all commands.'].join('\n')}\n`;
}

interface Suggestion {
  says: string;
  commands: [command: string, does: string][];
}

function suggestion(step: FirstStep): Suggestion {
  switch (step.kind) {
    case 'plan': {
      const tool = step.tool === 'pulumi' ? 'Pulumi' : 'Terraform or OpenTofu';
      return {
        says: `This folder has a plan of ${tool}: ${oneLine(step.file)}`,
        commands: [[`gatehouse review ${argument(step.file)}`, 'who gains and who loses access by it']],
      };
    }
    case 'archive':
      return {
        says: `This folder has a plan file that only its own program reads: ${oneLine(step.file)}`,
        commands: [
          [
            `terraform show -json ${argument(step.file)} | gatehouse review -`,
            'who gains and who loses access by it; with OpenTofu, tofu show',
          ],
        ],
      };
    case 'stack': {
      const [first = ''] = step.stacks;
      return {
        says: `This project declares sign-in. Stacks: ${oneLine(shortened(step.stacks, mostNamed))}`,
        commands: [
          [
            `gatehouse review -s ${argument(first)}`,
            'who gains and who loses access by what is not applied yet',
          ],
          [`gatehouse drift -s ${argument(first)}`, 'what differs on the service'],
        ],
      };
    }
    case 'terraform':
      return {
        says: 'This folder has Terraform files, and no plan yet.',
        commands: [
          ['terraform plan -out tfplan', 'makes one; with OpenTofu, tofu plan'],
          ['terraform show -json tfplan | gatehouse review -', 'who gains and who loses access by it'],
        ],
      };
    case 'nothing':
      return {
        says: 'Login as code: who can sign in to a secrets service, and with what.',
        commands: [
          ['gatehouse review plan.json', 'who gains and who loses access by a plan of Terraform or Pulumi'],
          ['gatehouse new sign-in', 'a repository that declares sign-in'],
          ['gatehouse dev', 'everything on this machine, to try it'],
        ],
      };
  }
}

/** A name for a shell, which no command takes for an option. */
function argument(name: string): string {
  return shellWord(name.startsWith('-') ? `./${name}` : name);
}

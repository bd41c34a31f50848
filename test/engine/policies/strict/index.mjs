// A pack as anybody writes one, with Pulumi's own SDK.
import { PolicyPack } from '@pulumi/policy';

const things = (resources) => resources.filter(({ type }) => type === 'test:index:Thing');

new PolicyPack('strict', {
  policies: [
    {
      name: 'no-shouting',
      description: 'No text shouts.',
      enforcementLevel: 'mandatory',
      validateResource: ({ props }, report) => {
        if (props.text === 'HI') report('This one does.');
      },
    },
    {
      name: 'polite',
      description: 'Every greeting is polite.',
      enforcementLevel: 'remediate',
      remediateResource: ({ props }) => (props.text === 'rude' ? { ...props, text: 'kind' } : undefined),
    },
    {
      name: 'few-things',
      description: 'A stack has few things.',
      enforcementLevel: 'mandatory',
      configSchema: { properties: { most: { type: 'integer', default: 100 } } },
      validateStack: ({ resources, getConfig }, report) => {
        const { most } = getConfig();
        const all = things(resources);
        const plain = all.find(({ name }) => name === 'plain');
        if (all.length > most)
          report(`${all.length} are more than ${most}, from ${plain.props.text} on`, all[0].urn);
      },
    },
    {
      name: 'all-known',
      description: 'Every text is known.',
      validateResource: ({ type, props }) => {
        if (type === 'test:index:Thing') String(props.text);
      },
    },
    {
      name: 'telling',
      description: 'Tells what it sees.',
      enforcementLevel: 'disabled',
      validateResource: ({ props }, report) => {
        if (props.secret !== undefined) report(`I know of ${props.secret}.`);
      },
    },
    {
      name: 'broken',
      description: 'Does not work.',
      enforcementLevel: 'disabled',
      validateStack: () => {
        throw new Error('this pack is broken');
      },
    },
  ],
});

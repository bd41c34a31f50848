import { readFileSync } from 'node:fs';
import type { AnalyzedResource, Fields, Severity } from '@gatehouse/core/review';
import { maskedProperties } from '@gatehouse/engine';
import { channelOptions, fromStruct, type Handlers, listen, unary } from '@gatehouse/engine/plugins';
import { Server } from '@grpc/grpc-js';
import analyzerGrpc from '@pulumi/pulumi/proto/analyzer_grpc_pb.js';
import analyzerPb from '@pulumi/pulumi/proto/analyzer_pb.js';
import pluginPb from '@pulumi/pulumi/proto/plugin_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
// The CommonJS copy that the SDK's stubs use: gRPC refuses messages of another copy.
import structPb, { type Struct } from 'google-protobuf/google/protobuf/struct_pb.js';
import { type Level, levelOf, policies, reviewedPolicy } from './policies.ts';
import { PolicyPack, type PolicySetting, type Violation } from './policy-pack.ts';

const name = 'gatehouse';
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const { EnforcementLevel, PolicySeverity, PolicyType } = analyzerPb;

const enforcement = {
  advisory: EnforcementLevel.ADVISORY,
  mandatory: EnforcementLevel.MANDATORY,
  disabled: EnforcementLevel.DISABLED,
} as const satisfies Record<Level, unknown>;

const severities = {
  error: PolicySeverity.POLICY_SEVERITY_HIGH,
  warning: PolicySeverity.POLICY_SEVERITY_MEDIUM,
  info: PolicySeverity.POLICY_SEVERITY_LOW,
} as const satisfies Record<Severity, unknown>;

function handlers(pack: PolicyPack): Handlers<analyzerGrpc.IAnalyzerServer> {
  return {
    handshake: unary(() => new analyzerPb.AnalyzerHandshakeResponse()),
    getPluginInfo: unary(() => new pluginPb.PluginInfo().setVersion(version)),
    getAnalyzerInfo: unary(() => analyzerInfo()),
    configure: unary((request) => {
      const settings = new Map<string, PolicySetting>();
      request.getPolicyconfigMap().forEach((config, policy) => {
        settings.set(policy, {
          level: levelFrom(config.getEnforcementlevel()),
          properties: fieldsOf(config.getProperties()),
        });
      });
      pack.configure(settings);
      return new emptyPb.Empty();
    }),
    configureStack: unary((request) => {
      const config: Record<string, string> = {};
      request.getConfigMap().forEach((value, key) => {
        config[key] = value;
      });
      pack.configureStack({ name: request.getStack(), config });
      return new analyzerPb.AnalyzerStackConfigureResponse();
    }),
    analyze: unary((request) => {
      const urn = request.getUrn();
      const properties = request.getProperties();
      pack.remember(urn, isLookedAt(request.getType()) ? fieldsOf(properties) : {});
      const violations = pack.analyze(urn, () => maskedProperties(fromStruct(properties)));
      return new analyzerPb.AnalyzeResponse().setDiagnosticsList(violations.map(diagnostic));
    }),
    analyzeStack: unary((request) =>
      new analyzerPb.AnalyzeResponse().setDiagnosticsList(
        pack.judge(request.getResourcesList().map(analyzed)).map(diagnostic),
      ),
    ),
    remediate: unary(() => new analyzerPb.RemediateResponse()),
    cancel: unary(() => new emptyPb.Empty()),
  };
}

function analyzerInfo(): InstanceType<typeof analyzerPb.AnalyzerInfo> {
  const settings: Record<string, Record<string, structPb.JavaScriptValue>> = {
    'cannot-be-judged': {
      before: fileSetting(
        'File with the state of the stack before the change, as pulumi stack export writes it.',
      ),
    },
    [reviewedPolicy.name]: {
      reviewed: fileSetting('File with the reviewed steps, as gatehouse review --steps writes it.'),
      statements: {
        type: 'array',
        items: { type: 'string' },
        description: 'Files with signed reviews of those steps.',
      },
      reviews: { type: 'object', description: 'Whose signed reviews count: as gatehouse:reviews says it.' },
    },
  };
  return new analyzerPb.AnalyzerInfo()
    .setName(name)
    .setDisplayname('Gatehouse')
    .setVersion(version)
    .setSupportsconfig(true)
    .setPoliciesList(
      policies.map(({ name: policy, description, severity }) => {
        const info = new analyzerPb.PolicyInfo()
          .setName(policy)
          .setDescription(description)
          .setEnforcementlevel(enforcement[levelOf(severity)])
          .setPolicyType(
            policy === reviewedPolicy.name ? PolicyType.POLICY_TYPE_RESOURCE : PolicyType.POLICY_TYPE_STACK,
          )
          .setSeverity(severities[severity]);
        const setting = settings[policy];
        if (setting === undefined) return info;
        const properties = structPb.Struct.fromJavaScript(setting);
        return info.setConfigschema(new analyzerPb.PolicyConfigSchema().setProperties(properties));
      }),
    );
}

function fileSetting(description: string): structPb.JavaScriptValue {
  return { type: 'string', description };
}

function diagnostic({ policy, level, severity, message, urn = '' }: Violation) {
  const description = policies.find((candidate) => candidate.name === policy)?.description ?? '';
  return (
    new analyzerPb.AnalyzeDiagnostic()
      .setPolicyname(policy)
      .setPolicypackname(name)
      .setPolicypackversion(version)
      .setDescription(description)
      // Engines show the message alone, so it includes the description, as in the SDK of policy packs.
      .setMessage(`${description}\n${message}`)
      .setEnforcementlevel(enforcement[level])
      .setSeverity(severities[severity])
      .setUrn(urn)
  );
}

type ResourceMessage = InstanceType<typeof analyzerPb.AnalyzerResource>;

function analyzed(resource: ResourceMessage): Omit<AnalyzedResource, 'inputs'> {
  const type = resource.getType();
  const provider = resource.getProvider();
  const options = resource.getOptions();
  const dependencies: Record<string, string[]> = {};
  resource.getPropertydependenciesMap().forEach((entry, property) => {
    dependencies[property] = entry.getUrnsList();
  });
  return {
    urn: resource.getUrn(),
    type,
    outputs: isLookedAt(type) ? fieldsOf(resource.getProperties()) : {},
    ...(provider && { provider: { urn: provider.getUrn(), inputs: fieldsOf(provider.getProperties()) } }),
    aliases: options?.getAliasesList() ?? [],
    ...(options?.getDeletebeforereplacedefined() && {
      deleteBeforeReplace: options.getDeletebeforereplace(),
    }),
    propertyDependencies: dependencies,
  };
}

/** Whether a review needs the resource's properties. Those of other providers can be large, and hold assets. */
function isLookedAt(type: string): boolean {
  return /^(?:pulumi:providers:)?vault(?::|$)/.test(type);
}

/** Properties as JSON, with Pulumi's markers for secrets and unknown values. */
function fieldsOf(struct: Struct | undefined): Fields {
  return struct?.toJavaScript() ?? {};
}

function levelFrom(level: number): Level {
  if (level === EnforcementLevel.DISABLED) return 'disabled';
  return level === EnforcementLevel.ADVISORY ? 'advisory' : 'mandatory';
}

// Pulumi's `Analyzer` protocol on 127.0.0.1 (pulumi/pulumi `proto/pulumi/analyzer.proto`).
const server = new Server(channelOptions);
server.addService(analyzerGrpc.AnalyzerService, handlers(new PolicyPack(process.env)));
// The engine reads the port from the first line of output.
listen(server).then(
  (port) => console.log(String(port)),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);

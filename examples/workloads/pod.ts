import * as kubernetes from '@pulumi/kubernetes';
import { projectedToken } from '../../providers/projected-token.ts';

/** The pod of pod.yaml, in a Pulumi program. `projectedToken` refuses tokens that live less than 600 seconds. */
export function webPod(): kubernetes.core.v1.Pod {
  const token = projectedToken({ audience: 'https://secrets.example.com', expirationSeconds: 600 });
  return new kubernetes.core.v1.Pod('web', {
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      serviceAccountName: 'web',
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'web',
          image: 'registry.example.com/shop/web:1.0.0',
          volumeMounts: [{ name: token.name, mountPath: '/var/run/secrets/gatehouse', readOnly: true }],
        },
      ],
      volumes: [token],
    },
  });
}

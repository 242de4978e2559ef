/** deploy/kubernetes by kubectl and by Kubernetes' types, and against the image, the configuration and what was measured. */
import { describe, expect, test } from 'vitest'
import { configOf, image, unknownVariables } from '../../support/deploy/image.js'
import { kustomized, type Manifest, mistakesIn } from '../../support/deploy/manifests.js'
import { measuredMemory } from '../../support/deploy/measured-memory.js'

/** What the Secrets hold that the operator makes, by name. */
const secrets: Record<string, Record<string, string>> = {
  'forkroute-nodes': { RPC_URL_1: 'https://node.example/key' },
  'forkroute-queue': {
    REDIS_URL: 'rediss://redis.example:6379',
    DATABASE_URL: 'postgresql://forkroute:word@db.example:5432/forkroute?sslmode=verify-full',
  },
}
/** Of the pod, where the service may write. */
const writable = ['/data', '/tmp']

const folder = (overlay: string) => `deploy/kubernetes/overlays/${overlay}`
const overlays = {
  one: await kustomized(folder('one')),
  workers: await kustomized(folder('workers')),
}

const ofKind = (manifests: readonly Manifest[], ...kinds: string[]) =>
  manifests.filter(({ kind }) => kinds.includes(kind))
const workloads = (manifests: readonly Manifest[]) => ofKind(manifests, 'StatefulSet', 'Deployment')
const matches = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

/** The environment of a pod's one lasting container. */
function environmentOf(manifests: readonly Manifest[], { spec }: Manifest): Record<string, string> {
  const [container] = spec.template.spec.containers
  const env: Record<string, string> = {}
  for (const { configMapRef, secretRef } of container.envFrom) {
    const map = ofKind(manifests, 'ConfigMap').find((m) => m.metadata.name === configMapRef?.name)
    Object.assign(env, configMapRef ? map?.data : secrets[secretRef.name])
  }
  for (const { name, value } of container.env ?? []) env[name] = value
  return env
}

function mebibytes(quantity: string): number {
  const [, amount, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? []
  return Number(amount) * (unit === 'Gi' ? 1_024 : 1)
}

test('a field that Kubernetes does not know, or of another type, is found however deep it lies', () => {
  const [set] = workloads(overlays.one) as [Manifest]
  const wrong = structuredClone(set) as Manifest
  const [container] = wrong.spec.template.spec.containers
  container.securityContext.readOnlyRootFileSystem = true
  wrong.spec.replicas = '2'
  const mistakes = mistakesIn([wrong]).join('\n')
  expect(mistakes).toContain(`readOnlyRootFileSystem"' does not exist in type 'SecurityContext'`)
  expect(mistakes).toContain("Type 'string' is not assignable to type 'number'")
})

test('both overlays are what Kubernetes takes: one instance; two of the API with two workers', () => {
  expect(mistakesIn([...overlays.one, ...overlays.workers])).toEqual([])
  const replicas = (manifests: readonly Manifest[]) =>
    workloads(manifests).map(({ kind, spec }) => [kind, spec.replicas])
  expect(replicas(overlays.one)).toEqual([['StatefulSet', 1]])
  expect(replicas(overlays.workers)).toEqual([
    ['Deployment', 2],
    ['StatefulSet', 2],
  ])
})

describe.each(Object.entries(overlays))('overlay %s', (name, manifests) => {
  test('has settings that the service knows and takes; secrets come by reference', () => {
    expect(ofKind(manifests, 'Secret')).toEqual([])
    for (const workload of workloads(manifests)) {
      const env = environmentOf(manifests, workload)
      expect(unknownVariables(Object.keys(env))).toEqual([])
      const config = configOf(env)
      expect(config.rpcUrls[1]).toEqual([secrets['forkroute-nodes']?.RPC_URL_1])
      expect(config.redisUrl !== null && config.databaseUrl !== null).toBe(name === 'workers')
      const [{ args }] = workload.spec.template.spec.containers
      expect(args).toEqual([workload.kind === 'Deployment' ? 'worker' : 'serve'])
    }
  })

  test('probes ask /health and /ready at the port of the service or worker', () => {
    for (const workload of workloads(manifests)) {
      const config = configOf(environmentOf(manifests, workload))
      const [container] = workload.spec.template.spec.containers
      const [{ name: port, containerPort }] = container.ports
      expect(containerPort).toBe(workload.kind === 'Deployment' ? config.workerPort : config.port)
      expect(container.startupProbe.httpGet).toEqual({ path: '/health', port })
      expect(container.livenessProbe.httpGet).toEqual({ path: '/health', port })
      expect(container.readinessProbe.httpGet).toEqual({ path: '/ready', port })
      const scraped = workload.spec.template.metadata.annotations['prometheus.io/port']
      expect(scraped).toBe(String(containerPort))
    }
  })

  test('runs without rights on a root that cannot be written, with volumes where it writes', () => {
    for (const { spec } of workloads(manifests)) {
      const pod = spec.template.spec
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      const volumes = [...(pod.volumes ?? []), ...(spec.volumeClaimTemplates ?? [])].map(
        (volume) => volume.name ?? volume.metadata.name,
      )
      for (const { securityContext, volumeMounts } of [
        ...pod.containers,
        ...(pod.initContainers ?? []),
      ]) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        for (const mount of volumeMounts) expect(volumes).toContain(mount.name)
      }
      const [{ volumeMounts }] = pod.containers
      expect(volumeMounts.map((mount: { mountPath: string }) => mount.mountPath)).toEqual(writable)
      expect(writable).toContain(image.volume)
    }
  })

  test('leaves a stop the time that the service takes for it', () => {
    for (const workload of workloads(manifests)) {
      const { terminationGracePeriodSeconds: grace, containers } = workload.spec.template.spec
      const { shutdownTimeoutMs } = configOf(environmentOf(manifests, workload))
      const [, pause = '0'] = containers[0].lifecycle?.preStop.exec.command ?? []
      expect(grace).toBeGreaterThanOrEqual(Number(pause) + shutdownTimeoutMs / 1_000 + 10)
    }
  })

  test('has room for half more memory than was ever measured', () => {
    const measured = measuredMemory()
    expect(measured.length).toBeGreaterThan(20)
    const sorted = measured.toSorted((a, b) => a - b)
    for (const { spec } of workloads(manifests)) {
      const { requests, limits } = spec.template.spec.containers[0].resources
      expect(mebibytes(requests.memory)).toBeGreaterThan(sorted[sorted.length >> 1] ?? Infinity)
      expect(mebibytes(limits.memory)).toBeGreaterThan(1.5 * Math.max(...measured))
    }
  })

  test('services, budgets and policies find their pods and ports, and selectors are disjoint', () => {
    const pods = workloads(manifests).map(({ spec }) => {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
      const [{ ports }] = spec.template.spec.containers
      const names = ports.map((port: { name: string }) => port.name)
      return { labels: spec.template.metadata.labels, names }
    })
    const found = (selector: Record<string, string>) =>
      pods.filter(({ labels }) => matches(selector, labels))
    const services = ofKind(manifests, 'Service')
    for (const { spec } of services) {
      const [pod, ...others] = found(spec.selector)
      expect(others).toEqual([])
      expect(pod?.names).toEqual([spec.ports[0].targetPort])
    }
    expect(services.find(({ metadata }) => metadata.name === 'forkroute')?.spec).toMatchObject({
      sessionAffinity: 'ClientIP',
    })
    const [set] = ofKind(manifests, 'StatefulSet')
    expect(services.map(({ metadata }) => metadata.name)).toContain(set?.spec.serviceName)
    const budgets = ofKind(manifests, 'PodDisruptionBudget')
    expect(budgets).toHaveLength(pods.length)
    expect(budgets.map(({ spec }) => found(spec.selector.matchLabels).length)).toEqual(
      pods.map(() => 1),
    )

    const policies = ofKind(manifests, 'NetworkPolicy')
    for (const { spec } of policies) {
      expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
      expect(found(spec.podSelector.matchLabels)).toEqual(pods)
    }
    const ports = (direction: 'ingress' | 'egress'): (string | number)[] =>
      policies.flatMap(({ spec }) =>
        spec[direction].flatMap((rule: { ports: { port: string | number }[] }) =>
          rule.ports.map(({ port }) => port),
        ),
      )
    expect(new Set(ports('ingress'))).toEqual(new Set(pods.flatMap(({ names }) => names)))
    const servers = Object.values(secrets['forkroute-queue'] ?? {})
    const queue = name === 'workers' ? servers.map((url) => Number(new URL(url).port)) : []
    expect(ports('egress')).toEqual([53, 53, 443, 8545, ...queue])
  })

  test('every image is the one that the overlay names', () => {
    const images = workloads(manifests).flatMap(({ spec }) =>
      [...spec.template.spec.containers, ...(spec.template.spec.initContainers ?? [])].map(
        (container) => container.image,
      ),
    )
    expect(new Set(images)).toEqual(new Set(['registry.example/forkroute:0.1.0']))
  })
})

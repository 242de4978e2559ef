/** compose.yaml by the tool that reads it, and against the image, the configuration and the files that it mounts. */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { chains } from '../../../src/chains/registry.js'
import { configOf, image, unknownVariables } from '../../support/deploy/image.js'

interface Service {
  readonly image: string
  readonly build?: object
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | null>>
  readonly profiles: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { condition: string }>>
  readonly deploy?: { resources: { limits: { memory: string } } }
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** As docker-compose reads it, all checked and filled in. */
function composed(env: Record<string, string> = {}): Compose {
  return parse(
    execFileSync('docker-compose', ['config'], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    }),
  )
}

const { services, volumes } = composed({ RPC_URL_1: 'https://node.example/key', WORKERS: '3' })
const own = Object.entries(services).filter(([, service]) => service.image === 'forkroute')

function settings({ environment = {} }: Service): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, `${value}`]))
}

test('profiles: the sandbox alone, with servers and two workers, with Prometheus and Grafana', () => {
  const of = (profile: string) =>
    Object.keys(services)
      .filter((name) => services[name]?.profiles.includes(profile))
      .sort()
  expect(of('sandbox')).toEqual(['sandbox'])
  const workers = ['forkroute', 'postgres', 'redis', 'worker-1', 'worker-2']
  expect(of('workers')).toEqual(workers)
  expect(of('monitoring')).toEqual([...workers, 'grafana', 'prometheus'].sort())
})

test.each(own)('%s has settings that the service knows and takes', (name, service) => {
  const env = settings(service)
  expect(unknownVariables(Object.keys(env))).toEqual([])
  const config = configOf(env)
  expect(config.workers).toBe(3)
  expect(config.host).toBe('0.0.0.0')
  if (name === 'sandbox') {
    expect(config).toMatchObject({ rpcUrls: {}, redisUrl: null, databaseUrl: null })
    return
  }
  expect(config.rpcUrls).toEqual({ 1: ['https://node.example/key'] })
  expect(services[new URL(config.redisUrl ?? '').hostname]?.image).toMatch(/^redis:/)
  const database = new URL(config.databaseUrl ?? '')
  expect(services[database.hostname]).toMatchObject({
    image: expect.stringMatching(/^postgres:/),
    environment: {
      POSTGRES_USER: database.username,
      POSTGRES_PASSWORD: database.password,
      POSTGRES_DB: database.pathname.slice(1),
    },
  })
})

test('every chain can be given a node', () => {
  const names = Object.keys(services.forkroute?.environment ?? {})
  const nodes = names.filter((name) => name.startsWith('RPC_URL_'))
  expect(nodes.sort()).toEqual(chains.map(({ id }) => `RPC_URL_${id}`).sort())
})

test.each(own)(
  '%s runs the image as it is meant: read-only, without rights, with time to stop',
  (name, service) => {
    expect(image.user).toBe('node')
    expect(service).toMatchObject({
      build: {},
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: ['/tmp'],
      volumes: [expect.stringMatching(new RegExp(`^[a-z0-9-]+:${image.volume}:rw$`))],
    })
    for (const place of ['XDG_CACHE_HOME', 'DATA_DIR', 'npm_config_cache']) {
      expect(image.env[place]).toMatch(/^\/(data|tmp)(\/|$)/)
    }
    const [volume = ''] = service.volumes?.[0]?.split(':') ?? []
    expect(Object.keys(volumes)).toContain(volume)
    expect(own.filter(([, other]) => other.volumes?.[0]?.startsWith(`${volume}:`))).toHaveLength(1)
    const config = configOf(settings(service))
    expect(Number.parseInt(service.stop_grace_period ?? '0', 10) * 1_000).toBeGreaterThanOrEqual(
      config.shutdownTimeoutMs + 10_000,
    )
    expect(service.ports ?? []).toEqual(
      name.startsWith('worker') ? [] : [`127.0.0.1:3000:${image.port}/tcp`],
    )
    expect(image.port).toBe(config.port)
    // The probe of the image asks both ports.
    expect(image.healthcheck).toContain('process.env.PORT, process.env.WORKER_PORT')
  },
)

test('workers wait for Redis and Postgres, and have the port that Prometheus asks', () => {
  const { scrape_configs } = parse(readFileSync('deploy/prometheus/prometheus.yml', 'utf8')) as {
    scrape_configs: { static_configs: { targets: string[] }[] }[]
  }
  const targets = scrape_configs.flatMap((each) => each.static_configs.flatMap((s) => s.targets))
  const expected = own
    .filter(([, { profiles }]) => profiles.includes('monitoring'))
    .map(([name, service]) => {
      const { workerPort, port } = configOf(settings(service))
      const isWorker = service.command?.[0] === 'worker'
      expect(service.depends_on).toMatchObject({
        redis: { condition: 'service_healthy' },
        postgres: { condition: 'service_healthy' },
      })
      return `${name}:${isWorker ? workerPort : port}`
    })
  expect(targets.sort()).toEqual(expected.sort())
})

test('Prometheus and Grafana find the rules, the dashboard and each other', () => {
  const mounted = (service: Service | undefined, path: string) => {
    const mounts = (service?.volumes ?? []).map((each) => each.split(':'))
    const mount = mounts.find(([, target = '']) => path.startsWith(target))
    return `${mount?.[0]}${path.slice(mount?.[1]?.length)}`
  }
  const config = mounted(services.prometheus, '/etc/prometheus/prometheus.yml')
  const said = execFileSync('promtool', ['check', 'config', config], { encoding: 'utf8' })
  expect(said).toMatch(/SUCCESS: .*rules found/)

  const provisioning = '/etc/grafana/provisioning'
  const yaml = (path: string) =>
    parse(readFileSync(mounted(services.grafana, `${provisioning}/${path}`), 'utf8'))
  const [source] = yaml('datasources/prometheus.yml').datasources
  expect(source.type).toBe('prometheus')
  expect(services[new URL(source.url).hostname]?.ports).toEqual([
    `127.0.0.1:9090:${new URL(source.url).port}/tcp`,
  ])
  const [provider] = yaml('dashboards/forkroute.yml').providers
  const dashboard = `${provider.options.path}/dashboard.json`
  expect(services.grafana?.environment).toMatchObject({
    GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH: dashboard,
  })
  const file = mounted(services.grafana, dashboard)
  expect(statSync(file).isFile()).toBe(true)
  const { uid, templating } = JSON.parse(readFileSync(file, 'utf8'))
  expect(uid).toBe('forkroute')
  expect(templating.list).toMatchObject([{ type: 'datasource', query: source.type }])
})

test('nothing is to be had from other machines, and all that is kept is a named volume', () => {
  for (const [name, { ports = [], volumes: mounts = [] }] of Object.entries(services)) {
    for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/)
    for (const mount of mounts.filter((each) => each.endsWith(':rw'))) {
      expect(Object.keys(volumes), name).toContain(mount.split(':')[0])
    }
  }
})

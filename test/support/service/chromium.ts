/** Chromium, as the tests of pages use it: Debian's, or one from npm with the libraries that a bare machine lacks. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'
import { toolFolder } from '../../../scripts/tools.js'

interface Installed {
  readonly executablePath: string
  /** Beside that of this process. */
  readonly env: Readonly<Record<string, string>>
}

export async function launchChromium(): Promise<Browser> {
  const { executablePath, env } = await prepareChromium()
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** Fetches and unpacks it where the machine has none. */
export async function prepareChromium(): Promise<Installed> {
  const executablePath = '/usr/bin/chromium'
  if (existsSync(executablePath)) return { executablePath, env: {} }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`These tests need ${executablePath}: npm has none for this platform.`)
  }
  const modules = await toolFolder('chromium')
  const folder = join(dirname(modules), 'unpacked')
  if (!existsSync(folder)) await unpack(join(modules, '@sparticuz/chromium/bin'), folder)
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'own-fonts.conf') },
  }
}

async function unpack(from: string, to: string): Promise<void> {
  const decompressed = async (name: string) =>
    promisify(brotliDecompress)(await readFile(join(from, name)))
  const own = await mkdtemp(`${to}-`)
  for (const name of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br']) {
    execFileSync('tar', ['-x', '-C', own], { input: await decompressed(name) })
  }
  await writeFile(join(own, 'chromium'), await decompressed('chromium.br'), { mode: 0o755 })
  // That of the package names folders of the service that it is made for.
  const fonts = `<fontconfig>
  <dir>${to}/fonts</dir>
  <cachedir>${to}/fonts-cache</cachedir>
</fontconfig>
`
  await writeFile(join(own, 'own-fonts.conf'), fonts)
  try {
    await rename(own, to)
  } catch (error) {
    if (!existsSync(to)) throw error
    await rm(own, { recursive: true })
  }
}

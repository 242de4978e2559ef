/** The console at /console: the files of dist/console, under a policy by which a page reaches this service alone. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Router } from 'express'
import { notFound } from '../../domain/common-errors.js'
import { packageFolder } from '../../platform/package-folder.js'
import { allowOnly } from '../errors.js'
import { pagePolicy } from './page-policy.js'

/** The folder of the built console; null where the service was installed without it. */
export function consoleFolder(): string | null {
  const folder = join(packageFolder, 'dist', 'console')
  return existsSync(join(folder, 'index.html')) ? folder : null
}

/**
 * The page is at the path itself, without a slash at its end, and names its files relative to that: so it is right behind a
 * proxy that serves the service under a path of its own, too.
 */
export function consolePage(): Router {
  const root = join(packageFolder, 'dist', 'console')
  const router = express.Router()
  router.use(pagePolicy())
  router.get('/', (req, res) => {
    if (/\/(\?|$)/.test(req.originalUrl)) return res.redirect('../console')
    // A later version has other files.
    res.sendFile('index.html', {
      root,
      cacheControl: false,
      headers: { 'cache-control': 'no-store' },
    })
  })
  router.get('/:file', (req, res) => {
    const { file } = req.params
    if (!/^[\w-]+\.(js|css|svg)$/.test(file) || !existsSync(join(root, file))) {
      throw notFound(`path /console/${file.slice(0, 200)}`)
    }
    // The names of the others have a hash of what is in them.
    const isForEver = file !== 'icon.svg'
    res.sendFile(file, { root, maxAge: isForEver ? '1y' : '1h', immutable: isForEver })
  })
  router.all(['/', '/:file'], allowOnly(['GET', 'HEAD']))
  return router
}

/** The documents as pages at /docs/guide: the files of dist/site, which reach this service alone. */
import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import express, { type Router } from 'express'
import { notFound } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import { packageFolder } from '../../platform/package-folder.js'
import { allowOnly } from '../errors.js'
import { pagePolicy } from './page-policy.js'

/** The folder into which `npm run site` builds. */
const builtSite = join(packageFolder, 'dist', 'site')

export function isSiteBuilt(root = builtSite): boolean {
  return existsSync(join(root, 'index.html'))
}

/**
 * @param root - the folder of the built site. It is looked for at each request, so that it may be built later.
 * @throws ForkrouteError NOT_FOUND with the next step where it is not built, and where it has no such page.
 */
export function sitePage(root = builtSite): Router {
  const router = express.Router()
  router.use(
    pagePolicy({
      // Colours of code and the alignment of cells are attributes of their elements.
      styleSrcAttr: ["'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
    }),
  )
  router.get('/{*path}', (_req, _res, next) => {
    if (!isSiteBuilt(root)) {
      throw new ForkrouteError(
        'NOT_FOUND',
        'The documents are not built here. Run npm run site in the folder of forkroute, then ask again. GET /docs has the reference of the interface.',
        { next: [{ endpoint: 'GET /docs' }] },
      )
    }
    next()
  })
  router.get('/', (req, res, next) => {
    if (/\/(\?|$)/.test(req.originalUrl)) return next()
    // The pages name their files by the path with the slash.
    res.redirect('guide/')
  })
  router.use(
    express.static(root, {
      redirect: false,
      cacheControl: false,
      setHeaders(res, path) {
        // The names of these have a hash of what is in them.
        const isForEver = path.startsWith(join(root, 'assets') + sep)
        res.set('cache-control', isForEver ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    }),
  )
  router.all('/{*path}', (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      return allowOnly(['GET', 'HEAD'])(req, res, next)
    }
    throw notFound(`page ${req.originalUrl.slice(0, 200)}`)
  })
  return router
}

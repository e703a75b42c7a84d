package ingest

import (
	"path"
	"strings"
)

// Why files are left out by their names. An exception in .winnowignore
// ("!name") takes them in all the same.
const (
	skipHidden    = skip("hidden")
	skipSecret    = skip("may hold secrets")
	skipLock      = skip("lock file")
	skipGenerated = skip("minified or generated")
	skipVendored  = skip("installed dependencies")
	skipBinary    = skip("binary")
	skipLink      = skip("symbolic link")
	skipSpecial   = skip("not a regular file")
	skipIgnored   = skip("ignored by .gitignore")
	skipOwn       = skip("ignored by .winnowignore")
	skipEmpty     = skip("empty")
)

// skipFolder says why a folder is not entered, "" if it is.
func skipFolder(name string) skip {
	switch name {
	case "node_modules", "bower_components", "__pycache__", "site-packages":
		return skipVendored
	}
	if strings.HasPrefix(name, ".") {
		return skipHidden
	}
	return ""
}

// skipFile says why a file is not read, "" if it is.
func skipFile(name string) skip {
	lower := strings.ToLower(name)
	switch lower {
	case "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials", "htpasswd":
		return skipSecret
	case "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock",
		"go.sum", "go.work.sum", "cargo.lock", "gemfile.lock", "poetry.lock", "pipfile.lock", "uv.lock", "pdm.lock",
		"composer.lock", "flake.lock", "mix.lock", "pubspec.lock", "podfile.lock", "packages.lock.json",
		"gradle.lockfile", ".terraform.lock.hcl":
		return skipLock
	}
	if strings.HasPrefix(lower, ".env") {
		return skipSecret
	}
	extension := path.Ext(lower)
	switch extension {
	case ".pem", ".key", ".p12", ".pfx", ".p8", ".jks", ".keystore", ".kdbx", ".ppk", ".gpg", ".env", ".netrc", ".ovpn":
		return skipSecret
	case ".map", ".snap":
		return skipGenerated
	}
	if strings.HasPrefix(name, ".") {
		return skipHidden
	}
	stem := strings.TrimSuffix(lower, extension)
	switch extension {
	case ".js", ".css", ".mjs", ".html":
		if strings.HasSuffix(stem, ".min") || strings.HasSuffix(stem, "-min") || strings.HasSuffix(stem, ".bundle") ||
			strings.HasSuffix(stem, ".chunk") || stem == "bundle" {
			return skipGenerated
		}
	}
	if binaryExtension(extension) {
		return skipBinary
	}
	return ""
}

// binaryExtension reports whether files of this extension need not be opened to
// know that they hold no text.
func binaryExtension(extension string) bool {
	switch extension {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".heic", ".avif", ".psd",
		".mp3", ".mp4", ".m4a", ".m4v", ".mov", ".avi", ".mkv", ".webm", ".wav", ".flac", ".ogg",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".war", ".whl",
		".exe", ".dll", ".so", ".dylib", ".a", ".o", ".obj", ".class", ".pyc", ".wasm", ".bin",
		".ttf", ".otf", ".woff", ".woff2", ".eot", ".sqlite", ".db", ".parquet", ".npy", ".npz", ".pt", ".safetensors", ".onnx",
		".iso", ".dmg", ".lockb", ".pack", ".idx", ".msf":
		return true
	}
	return false
}

/* Writing files; see the header. */
#define _GNU_SOURCE /* renameat2, locks of open files, getrandom */
#include "output_file.h"
#include "cli/setup/options.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(cli_output_file *f, const char *reason)
{
    const bool old = f->beside != NULL && f->held >= 0;
    if (!f->told)
        cli_complain(f->command, "cannot write %s: %s%s", f->path, reason,
                     old ? "; the file that is there stays as it was" : "");
    f->failed = f->told = true;
    return false;
}

bool cli_output_file_complain(cli_output_file *f)
{
    return refuse(f, errno != 0 ? strerror(errno) : "a write failed");
}

/* ---- what stands at the place ---- */

static bool is_one_of(const struct stat *about, const char *const *names)
{
    struct stat other;
    for (; *names != NULL; names++)
        if (stat(*names, &other) == 0 && S_ISCHR(about->st_mode) && about->st_rdev == other.st_rdev)
            return true;
    return false;
}

bool cli_is_stdout(const char *path)
{
    static const char *const nowhere[] = {"/dev/null", NULL};
    struct stat about, out;
    if (strcmp(path, "-") == 0)
        return true;
    return stat(path, &about) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
           about.st_dev == out.st_dev && about.st_ino == out.st_ino && !is_one_of(&about, nowhere);
}

/* Locks belong to the open file, so that closing another descriptor of it does not lose them. Where
 * the file system has none, nobody is kept away. */
static bool lock(int file)
{
#ifdef F_OFD_SETLK
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
#else
    return file >= 0;
#endif
}

static bool stands_at(int file, const char *path)
{
    struct stat one, two;
    return fstat(file, &one) == 0 && lstat(path, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

static const char in_use[] = "another run is writing it; wait for that, or name another file";

/* Holds the file that is at the place, so that nobody else can put another one there. What was
 * opened may have been replaced meanwhile: then again. */
static bool hold(cli_output_file *f)
{
    do {
        if (f->held >= 0)
            close(f->held);
        f->held = open(f->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (f->held < 0)
            return errno == ENOENT || cli_output_file_complain(f);
        if (!lock(f->held)) {
            close(f->held);
            f->held = -1;
            return refuse(f, in_use);
        }
    } while (!stands_at(f->held, f->path));
    return true;
}

static bool claim_special(cli_output_file *f, const struct stat *about, cli_output_kind kind)
{
    static const char *const harmless[] = {"/dev/null", "/dev/zero", "/dev/full", NULL};
    f->direct = true;
    if (S_ISDIR(about->st_mode))
        return refuse(f, "it is a folder; name a file");
    if (kind == CLI_OUTPUT_WHOLE)
        return refuse(f, "it is a device or a pipe; name a file on a disk");
    if (S_ISFIFO(about->st_mode) || is_one_of(about, harmless))
        return true;
    if (S_ISCHR(about->st_mode)) {
        const int file = open(f->path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        const bool terminal = file >= 0 && isatty(file);
        if (file >= 0)
            close(file);
        if (terminal)
            return true;
    }
    return refuse(f, "it is a device or a socket; name a file, a pipe, a terminal or /dev/null");
}

bool cli_output_file_claim(cli_output_file *f, const char *command, const char *path,
                           cli_output_kind kind)
{
    struct stat about, behind;
    *f = (cli_output_file){.command = command, .path = path, .held = -1};
    if (cli_is_stdout(path) && kind == CLI_OUTPUT_STREAM) {
        f->path = strcmp(path, "-") == 0 ? "standard output" : path;
        return f->direct = f->to_stdout = true;
    }
    if (cli_is_stdout(path))
        return refuse(f, "standard output goes there; name another file");
    errno = 0;
    if (lstat(path, &about) != 0)
        return errno == ENOENT || cli_output_file_complain(f);
    if (S_ISLNK(about.st_mode)) {
        if (stat(path, &behind) != 0 || S_ISREG(behind.st_mode))
            return refuse(f, "it is a symbolic link, and links are not followed; name the file "
                             "itself, or remove the link");
        about = behind;
    }
    return S_ISREG(about.st_mode) ? hold(f) : claim_special(f, &about, kind);
}

/* ---- the new file ---- */

/* PATH.xxxxxxxxxxxx.tmp; long names are cut. */
enum { LETTERS = 12, LONGEST = 200 };
static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567", ending[] = ".tmp";

static char *name_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    const size_t length = strlen(path + folder);
    const int kept = (int)(folder + (length < LONGEST ? length : LONGEST));
    const size_t size = (size_t)kept + 1 + LETTERS + sizeof ending;
    char *name = cli_allocate(size, 1), random[LETTERS + 1] = {0};
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        bits = (uint64_t)getpid() ^ (uint64_t)(uintptr_t)name; /* O_EXCL keeps it safe */
    for (int i = 0; i < LETTERS; i++, bits >>= 5)
        random[i] = letters[bits & 31];
    snprintf(name, size, "%.*s.%s%s", kept, path, random, ending);
    return name;
}

/* A file that replaces another one is readable by the same people. */
static void take_over_mode(int from, int to)
{
    struct stat about;
    if (from < 0 || fstat(from, &about) != 0)
        return;
    if (fchown(to, about.st_uid, about.st_gid) != 0)
        errno = 0; /* only some may do that; the file is then ours */
    fchmod(to, about.st_mode & 0777);
}

static int open_beside(cli_output_file *f)
{
    enum { TRIES = 100 };
    errno = EEXIST;
    for (int i = 0; errno == EEXIST && i < TRIES; i++) {
        free(f->beside);
        f->beside = name_beside(f->path);
        const int file = open(f->beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 && lock(file) && stands_at(file, f->beside)) {
            take_over_mode(f->held, file);
            return file;
        }
        if (file >= 0) { /* another run took it for one that was left, before it was locked */
            close(file);
            errno = EEXIST;
        }
    }
    const int reason = errno;
    free(f->beside);
    f->beside = NULL;
    errno = reason;
    return -1;
}

/* Closes what is open, and removes it if it was not placed. */
static bool end_file(cli_output_file *f)
{
    bool done = true;
    if (f->file != NULL && !f->to_stdout)
        done = fclose(f->file) == 0;
    f->file = NULL;
    if (f->beside != NULL)
        unlink(f->beside);
    free(f->beside);
    f->beside = NULL;
    return done;
}

bool cli_output_file_begin(cli_output_file *f)
{
    end_file(f);
    f->failed = false;
    errno = 0;
    if (f->to_stdout) {
        f->file = stdout;
        return true;
    }
    const int file = f->direct ? open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC) : open_beside(f);
    if (file < 0)
        return cli_output_file_complain(f);
    f->file = fdopen(file, f->direct ? "w" : "w+");
    if (f->file != NULL)
        return true;
    cli_output_file_complain(f);
    close(file);
    end_file(f);
    return false;
}

bool cli_output_file_open(cli_output_file *f, const char *command, const char *path,
                          cli_output_kind kind)
{
    return cli_output_file_claim(f, command, path, kind) && cli_output_file_begin(f);
}

bool cli_output_file_reopen(cli_output_file *f, const char *command, const char *path)
{
    if (!cli_output_file_claim(f, command, path, CLI_OUTPUT_WHOLE))
        return false;
    const int file = f->held >= 0 ? fcntl(f->held, F_DUPFD_CLOEXEC, 0) : -1;
    f->file = file >= 0 ? fdopen(file, "r+") : NULL;
    if (f->file != NULL)
        return true;
    if (file >= 0)
        close(file);
    cli_complain(command, "cannot go on with %s: %s", path,
                 f->held < 0 ? strerror(ENOENT) : strerror(errno));
    f->failed = f->told = true;
    cli_output_file_close(f);
    return false;
}

/* ---- to its place ---- */

/* Whether an entry of the folder is the name of a file beside this one. */
static bool is_beside(const char *entry, const char *name)
{
    const size_t length = strlen(name) < LONGEST ? strlen(name) : LONGEST;
    return strncmp(entry, name, length) == 0 && entry[length] == '.' &&
           strspn(entry + length + 1, letters) == LETTERS &&
           strcmp(entry + length + 1 + LETTERS, ending) == 0;
}

/* Removes what killed runs have left beside this file: nobody holds it any more. */
static void remove_left(int folder, const char *name)
{
#ifdef F_OFD_SETLK
    const struct dirent *entry;
    DIR *list = fdopendir(fcntl(folder, F_DUPFD_CLOEXEC, 0));
    while (list != NULL && (entry = readdir(list)) != NULL) {
        if (!is_beside(entry->d_name, name))
            continue;
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        const int left =
            openat(folder, entry->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (left >= 0 && fcntl(left, F_OFD_SETLK, &whole) == 0)
            unlinkat(folder, entry->d_name, 0);
        if (left >= 0)
            close(left);
    }
    if (list != NULL)
        closedir(list);
#else
    (void)folder;
    (void)name;
#endif
}

/* Makes a rename last: the folder is written out too. A folder that cannot be opened or synced
 * (some network file systems) is left to the system. */
static void settle_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = cli_allocate(length + 1, 1);
    memcpy(folder, slash == NULL ? "." : path, length);
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        remove_left(file, slash != NULL ? slash + 1 : path);
        fsync(file);
        close(file);
    }
    free(folder);
}

/* Renames without replacing anything, where the file system can do that. */
static bool rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    return (errno == EINVAL || errno == ENOSYS) && rename(from, to) == 0;
}

/* What stands there is held by us, or nothing does. */
static bool put_in_place(cli_output_file *f)
{
    for (;;) {
        if (f->held < 0 && rename_new(f->beside, f->path))
            return true;
        if (f->held < 0 && errno != EEXIST)
            return cli_output_file_complain(f);
        if (f->held >= 0 && stands_at(f->held, f->path))
            return rename(f->beside, f->path) == 0 || cli_output_file_complain(f);
        /* Somebody has put or taken a file there meanwhile. */
        if (!hold(f))
            return false;
    }
}

static bool place(cli_output_file *f, bool wait)
{
    errno = 0;
    if (f->failed || f->file == NULL)
        return false;
    if (fflush(f->file) != 0 || ferror(f->file)) {
        if (errno == 0 && f->beside != NULL && write(fileno(f->file), "", 1) == 1)
            errno =
                EIO; /* why an earlier write failed is not known: one more has told it, or not */
        return cli_output_file_complain(f);
    }
    if (f->direct || f->beside == NULL)
        return true;
    if ((wait && fsync(fileno(f->file)) != 0) || !put_in_place(f))
        return cli_output_file_complain(f);
    free(f->beside);
    f->beside = NULL;
    if (f->held >= 0)
        close(f->held);
    f->held = fcntl(fileno(f->file), F_DUPFD_CLOEXEC, 0);
    if (wait)
        settle_folder(f->path);
    return true;
}

bool cli_output_file_place(cli_output_file *f)
{
    return place(f, true);
}

bool cli_output_file_place_early(cli_output_file *f)
{
    return place(f, false);
}

bool cli_output_file_sync(cli_output_file *f)
{
    errno = 0;
    return f->file == NULL ||
           (fflush(f->file) == 0 && (f->direct || fsync(fileno(f->file)) == 0)) ||
           cli_output_file_complain(f);
}

bool cli_output_file_close(cli_output_file *f)
{
    errno = 0;
    const bool open = f->file != NULL;
    if (open && f->beside == NULL && !f->failed)
        cli_output_file_sync(f);
    if (!end_file(f) && !f->failed)
        cli_output_file_complain(f);
    if (f->held >= 0 && f->command != NULL) /* NULL: it was never opened */
        close(f->held);
    f->held = -1;
    return !f->failed;
}

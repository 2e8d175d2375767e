# How survival.txt was made: Rscript survival.R > survival.txt
library(survival)
number <- function(x) ifelse(is.na(x), "none", sprintf("%.15g", x))
cat("# Expected figures of Kaplan and Meier's estimate and the log-rank test.\n")
cat(sprintf("# Made by survival.R with %s, survival %s.\n", R.version.string, packageVersion("survival")))
cat("# times: the observations of a sample, + after a censored one. steps: time, at risk, events, estimate, deviation of its\n")
cat("# logarithm. quartiles: lower, median, upper, any: R has two answers. interval: of the median (log-log). mean: restricted to the horizon, its\n")
cat("# deviation. log-rank: of the last two samples: observed, expected, chi squared, p.\n")
describe <- function(time, event, horizon) {
  cat("\ntimes", paste0(number(time), ifelse(event, "", "+")), "\n")
  fit <- survfit(Surv(time, event) ~ 1, conf.type = "log-log")
  s <- summary(fit, censored = FALSE)
  for (i in seq_along(s$time)) {
    at <- which(fit$time == s$time[i])
    cat("step", number(s$time[i]), s$n.risk[i], s$n.event[i], number(s$surv[i]),
        number(if (is.finite(fit$std.err[at])) fit$std.err[at] else NA), "\n")
  }
  # quantile() and summary() agree but where the estimate stays at the level until the end: summary() then has the time
  # at which it got there, quantile() the middle between it and the last observation. The median is summary()'s.
  t <- summary(fit, rmean = horizon)$table
  q <- number(quantile(fit, c(0.25, 0.5, 0.75), conf.int = FALSE))
  q[2] <- number(t["median"])
  q[abs(min(fit$surv) - c(0.75, 0.5, 0.25)) < 1e-9 & c(TRUE, FALSE, TRUE)] <- "any"
  cat("quartiles", q, "\n")
  cat("interval", number(t["0.95LCL"]), number(t["0.95UCL"]), "\n")
  cat("mean", number(horizon), number(t[grep("^r?mean$|^\\*rmean", names(t))]), number(t[grep("se\\(r?mean\\)", names(t))]), "\n")
}
compare <- function(a, b) {
  d <- survdiff(Surv(c(a$time, b$time), c(a$event, b$event)) ~ rep(1:2, c(length(a$time), length(b$time))))
  cat("log-rank", number(d$obs[1]), number(d$exp[1]), number(d$chisq), number(pchisq(d$chisq, 1, lower.tail = FALSE)), "\n")
}
set.seed(12)
sample_of <- function(n, scale, digits, budget) {
  t <- round(rexp(n, 1 / scale), digits) + 10^-digits
  b <- if (budget > 0) rep(budget, n) else round(rexp(n, 1 / (2 * scale)), digits) + 10^-digits
  list(time = pmin(t, b), event = t <= b)
}
cases <- list(c(10, 5, 2, 100), c(10, 5, 2, 5), c(10, 5, 0, 6), c(11, 5, 1, 0), c(25, 50, 0, 0),
              c(7, 5, 2, 1), c(30, 5, 0, 4), c(1, 5, 1, 50), c(2, 5, 1, 50), c(60, 100, 0, 0))
for (case in cases) for (ratio in c(1, 3)) {
  a <- sample_of(case[1], case[2], case[3], case[4])
  b <- sample_of(case[1] + (ratio - 1), case[2] * ratio, case[3], case[4])
  for (x in list(a, b)) describe(x$time, x$event, ceiling(max(x$time)))
  if (sum(a$event) + sum(b$event) > 0) compare(a, b)
}
# Half of the trials got there, and no more.
for (x in list(list(time = c(1, 2, 3, 4, 9, 9, 9, 9), event = c(T, T, T, T, F, F, F, F)),
               list(time = c(1, 2, 2, 2, 5, 5, 5, 6, 7, 8), event = c(T, T, T, F, T, T, F, F, T, T))))
  describe(x$time, x$event, max(x$time))
